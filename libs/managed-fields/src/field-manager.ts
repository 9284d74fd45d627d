import { formatGroupVersion, newUnknownError, type KubeObject } from '@apichain/meta';
import { capUpdateManagers } from './cap-managers.ts';
import { ConflictsError, toApplyConflict } from './conflict.ts';
import { CreatedFields, stripMeta } from './created-fields.ts';
import type { FieldManagerOptions } from './field-manager-options.ts';
import { isEmpty, union } from './field-set.ts';
import { conflictsBeyondLastApplied, kubectlManager, withLastApplied } from './last-applied.ts';
import { encodeManagedFields, encodeWriter, managerIdentity, withSet } from './managed.ts';
import type { Managed, ManagedBuilder, Manager } from './managed.ts';
import { ManagerInfo } from './manager-info.ts';
import {
  decodeLive,
  decodeLiveOrNew,
  removeObjectManagedFields,
  setObjectManagedFields,
} from './object-managed-fields.ts';
import { RemoteFieldWork, type LiveObject, type RunFieldWork } from './remote-field-work.ts';
import { StructuredMerge } from './structured-merge.ts';
import { TypeCheck } from './type-check.ts';
import { ConversionError } from './versions.ts';

/** The manager of fields that were not tracked before the first apply. */
const beforeFirstApply = 'before-first-apply';

/**
 * Tracks which manager owns which field of an endpoint's objects, and merges applied configurations. Follows
 * k8s.io/apimachinery/pkg/util/managedfields; its chain of managers is a sequence of steps here.
 * https://kubernetes.io/docs/reference/using-api/server-side-apply/
 */
export class FieldManager {
  readonly #options: FieldManagerOptions;
  readonly #subresource: string;
  readonly #check: TypeCheck;
  readonly #merge: StructuredMerge;
  readonly #created: CreatedFields;
  readonly #info: ManagerInfo;
  #remote: RemoteFieldWork | undefined;

  constructor(options: FieldManagerOptions) {
    const { groupVersionKind, subresource = '', now } = options;
    this.#options = options;
    this.#subresource = subresource;
    this.#check = new TypeCheck(options);
    this.#merge = new StructuredMerge(options);
    this.#created = new CreatedFields(this.#merge);
    this.#info = new ManagerInfo({ apiVersion: formatGroupVersion(groupVersionKind), subresource, now });
  }

  /**
   * For create, update and every patch except apply. Returns `updated` with the metadata.managedFields that result from the manager's changes to
   * `live` (undefined on create). Entries that do not change keep their time. Neither object is modified. Never rejects: when the fields cannot be
   * tracked, all entries are removed. That happens, for example, when the written object does not match its schema in a version that a manager's
   * entry uses, or cannot be converted to it.
   */
  async update(live: KubeObject | undefined, updated: KubeObject, manager: string): Promise<KubeObject> {
    try {
      const managed = decodeLiveOrNew(live, updated, this.#subresource);
      if (live === undefined && managed.size === 0) return await this.#create(updated, manager);
      if (isUntracked(live, managed) || !this.#check.fits(updated) || !this.#check.liveFits(live))
        return removeObjectManagedFields(updated);
      const after = await this.#track(live ?? this.#merge.emptyObject, updated, managed, manager);
      return setObjectManagedFields(updated, encodeManagedFields(after));
    } catch {
      return removeObjectManagedFields(updated);
    }
  }

  /**
   * `update` in another thread, for large objects, which would hold this one. Resolves to what `update` returns. Rejects with what `run` rejects with.
   */
  async updateRemotely(
    run: RunFieldWork,
    live: LiveObject | undefined,
    updated: KubeObject,
    manager: string,
  ): Promise<KubeObject> {
    const now = this.#info.now();
    const operation = { operation: 'update', live, object: updated, manager, force: false, now } as const;
    try {
      return await this.#remoteWork().run(run, operation);
    } catch (error) {
      // The object is nested too deeply for recursion.
      if (error instanceof RangeError) return removeObjectManagedFields(updated);
      throw error;
    }
  }

  #remoteWork(): RemoteFieldWork {
    return (this.#remote ??= new RemoteFieldWork(this.#options));
  }

  /** A faster path for new objects without managers, which is the usual case on create. */
  async #create(object: KubeObject, manager: string): Promise<KubeObject> {
    if (!this.#check.fits(object)) return removeObjectManagedFields(object);
    const fields = await this.#created.of(object);
    if (isEmpty(fields)) return setObjectManagedFields(object, undefined);
    const writer = { ...this.#info.build(manager, false), set: fields, time: this.#info.time() };
    return setObjectManagedFields(object, [encodeWriter(writer, fields)]);
  }

  /**
   * The managers after an update. The writer owns the fields it changed in addition to those it owned before; other managers lose the changed
   * fields.
   */
  async #track(live: KubeObject, updated: KubeObject, managed: Managed, manager: string): Promise<Managed> {
    const result = await this.#merge.update(live, updated, managed);
    const changed = stripMeta(result.changed);
    if (isEmpty(changed)) return result.managed;
    const writer = this.#info.build(manager, false);
    const identity = managerIdentity(writer);
    const previous = result.managed.get(identity);
    const set = previous === undefined ? changed : union(previous.set, changed);
    const out: ManagedBuilder = new Map(result.managed);
    out.set(identity, withSet(writer, set, { time: this.#info.time() }));
    return capUpdateManagers(out);
  }

  /**
   * Server-side apply: merges `live` (undefined = create) with the configuration as the client sent it, without defaults or zero values. The result
   * still has to be decoded and defaulted. If nothing changed, the result is the live object, except for managedFields. Rejects with StatusError: 400 for
   * another kind or managedFields in the configuration, 409 with one cause per conflict unless `force`, and 500 when the configuration does not
   * match the schema.
   */
  async apply(live: KubeObject | undefined, applied: KubeObject, manager: string, force: boolean): Promise<KubeObject> {
    this.beforeApply(live);
    return this.afterApply(live, applied, await this.#applied(live, applied, manager, force));
  }

  /** Throws if the endpoint refuses an apply to the live object. */
  protected beforeApply(_live: KubeObject | undefined): void {}

  /** The result of an apply as the endpoint gives it. Throws if the endpoint refuses it. */
  protected afterApply(_live: KubeObject | undefined, _applied: KubeObject, merged: KubeObject): KubeObject {
    return merged;
  }

  async #applied(
    live: KubeObject | undefined,
    applied: KubeObject,
    manager: string,
    force: boolean,
  ): Promise<KubeObject> {
    const current = live ?? this.#merge.emptyObject;
    const managed = decodeLive(current);
    if (managed.size === 0) {
      const failure = 'failed to create manager for existing fields: failed to convert new object';
      this.#check.checkLive(live, failure, ' to smd typed');
    }
    this.#check.checkApplied(applied);
    this.#check.checkLive(live, 'failed to create typed live object', '');
    const tracked =
      managed.size === 0 ? await this.#track(this.#merge.emptyObject, current, managed, beforeFirstApply) : managed;
    const writer = this.#info.build(manager, true);
    try {
      return await this.#applyOrConflict(current, applied, tracked, writer, force);
    } catch (error) {
      if (error instanceof ConversionError) throw newUnknownError(error.message);
      if (!(error instanceof ConflictsError)) throw error;
      if (manager !== kubectlManager) throw toApplyConflict(error);
      const rest = conflictsBeyondLastApplied(this.#merge.versioned(current), error.conflicts);
      if (rest.length > 0) throw toApplyConflict(new ConflictsError(rest));
      return this.#applyOrConflict(current, applied, tracked, writer, true);
    }
  }

  /** `apply` in another thread, as `updateRemotely`. Rejects with what `apply` throws. */
  async applyRemotely(
    run: RunFieldWork,
    live: LiveObject | undefined,
    applied: KubeObject,
    manager: string,
    force: boolean,
  ): Promise<KubeObject> {
    this.beforeApply(live?.object);
    const now = this.#info.now();
    const operation = { operation: 'apply', live, object: applied, manager, force, now } as const;
    return this.afterApply(live?.object, applied, await this.#remoteWork().run(run, operation));
  }

  async #applyOrConflict(
    live: KubeObject,
    applied: KubeObject,
    managed: Managed,
    writer: Manager,
    force: boolean,
  ): Promise<KubeObject> {
    const result = await this.#merge.apply(live, applied, managed, writer, force);
    const out = this.#stamped(result.managed, managerIdentity(writer), result.object !== undefined);
    const merged = result.object ?? live;
    const written = setObjectManagedFields(merged, encodeManagedFields(out));
    return writer.name === kubectlManager ? withLastApplied(written, applied) : written;
  }

  /** Removes the fields that are never owned from the applier's entry, and updates its time if the object changed. */
  #stamped(managed: Managed, identity: string, isChanged: boolean): Managed {
    const manager = managed.get(identity);
    if (manager === undefined) return managed;
    const out: ManagedBuilder = new Map(managed);
    const set = stripMeta(manager.set);
    if (isEmpty(set)) out.delete(identity);
    else out.set(identity, withSet(manager, set, isChanged ? { time: this.#info.time() } : {}));
    return out;
  }
}

/**
 * Whether a stored object has no tracked fields: tracking begins when an object is created or first applied. Source: skipnonapplied.go of
 * k8s.io/apimachinery/pkg/util/managedfields/internal.
 */
const isUntracked = (live: KubeObject | undefined, managed: Managed): boolean =>
  managed.size === 0 && (live?.metadata.uid ?? '') !== '';
