import type { ManagedFieldsEntry } from '@apichain/meta';
import { difference, hasPath, isEmpty, setOf, type FieldSet } from './field-set.ts';
import { decodeManagedFields, encodeManagedFields, withSet, type ManagedBuilder } from './managed.ts';
import { fieldElement, type PathElement } from './path-element.ts';

const scaleApiVersion = 'autoscaling/v1';
const replicasInScale: readonly PathElement[] = ['f:spec', 'f:replicas'];

export interface ScaleHandlerOptions {
  /** metadata.managedFields of the main resource. */
  readonly parentEntries: ManagedFieldsEntry[] | undefined;
  /** The version of the main resource whose /scale is requested. */
  readonly apiVersion: string;
  /** Dotted path of the replicas in each served version (`spec.replicas`); null for a version without scale. */
  readonly replicasPaths: Readonly<Record<string, string | null>>;
}

/** Converts the managedFields of a resource to those of its /scale, and back after a write. */
export class ScaleHandler {
  readonly #options: ScaleHandlerOptions;
  constructor(options: ScaleHandlerOptions) {
    this.#options = options;
  }

  /** The path of the replicas in a version. Undefined = the version is unknown, null = it has no scale. */
  #pathIn(apiVersion: string): readonly PathElement[] | null | undefined {
    const { replicasPaths } = this.#options;
    const path = Object.hasOwn(replicasPaths, apiVersion) ? replicasPaths[apiVersion] : undefined;
    return typeof path === 'string' ? path.split('.').map(fieldElement) : path;
  }

  /** The entries of the Scale: the managers that own the replicas. Throws Error on entries that cannot be decoded. */
  toSubresource(): ManagedFieldsEntry[] | undefined {
    const managed = decodeManagedFields(this.#options.parentEntries);
    const out: ManagedBuilder = new Map();
    for (const [identity, manager] of managed) {
      const path = this.#pathIn(manager.apiVersion);
      if (path === undefined || path === null || !hasPath(manager.set, path)) continue;
      out.set(identity, withSet(manager, setOf([replicasInScale]), { apiVersion: scaleApiVersion }));
    }
    return encodeManagedFields(out);
  }

  /**
   * The entries of the main resource after a write to its Scale that resulted in `scaleEntries`. A manager that lost the replicas in the Scale loses
   * them here; a manager that gained them owns them here. An Update entry of a Scale has another version, so it never has the same identity as an
   * entry of the main resource, and its new entry has no time. Throws Error on entries that cannot be decoded.
   */
  toParent(scaleEntries: ManagedFieldsEntry[] | undefined): ManagedFieldsEntry[] | undefined {
    const parents = decodeManagedFields(this.#options.parentEntries);
    const scales: ManagedBuilder = new Map(decodeManagedFields(scaleEntries));
    const out: ManagedBuilder = new Map();
    for (const [identity, manager] of parents) {
      const path = this.#pathIn(manager.apiVersion);
      if (path === undefined) continue;
      const isOwner = path !== null && hasPath(manager.set, path);
      const stays = !isOwner || scales.delete(identity);
      const set: FieldSet = stays ? manager.set : difference(manager.set, setOf([path ?? []]));
      if (!isEmpty(set)) out.set(identity, withSet(manager, set));
    }
    const path = this.#pathIn(this.#options.apiVersion);
    for (const [identity, manager] of scales) {
      if (path === undefined || path === null || !hasPath(manager.set, replicasInScale)) continue;
      const time = parents.get(identity)?.time;
      out.set(identity, withSet(manager, setOf([path]), { apiVersion: this.#options.apiVersion, time }));
    }
    return encodeManagedFields(out);
  }
}
