import { formatGroupVersion, type KubeObject } from '@apichain/meta';
import type { FieldManagerOptions } from './field-manager-options.ts';
import type { FieldSet } from './field-set.ts';
import { managerIdentity, type Managed, type Manager } from './managed.ts';
import { mergeSchemaOf, withZeroFields, zeroObject, type MergeSchema } from './merge-schema.ts';
import { removeObjectManagedFields } from './object-managed-fields.ts';
import { outlineOf } from './outline.ts';
import { ResetFields } from './reset-fields.ts';
import { Updater } from './updater.ts';
import { isObject } from './values.ts';
import { VersionConverter, type VersionedObject } from './versions.ts';

/**
 * The `Updater` of structured-merge-diff for the objects of one endpoint. Adds their type and version, and excludes managedFields. Source:
 * structuredmerge.go of k8s.io/apimachinery/pkg/util/managedfields/internal.
 */
export class StructuredMerge {
  /** The live object that a create is compared with. */
  readonly emptyObject: KubeObject;
  readonly #apiVersion: string;
  readonly #schema: MergeSchema;
  readonly #typed: boolean;
  readonly #updater: Updater;

  constructor({ type, groupVersionKind, hub, convert, versions, resetFields }: FieldManagerOptions) {
    const apiVersion = formatGroupVersion(groupVersionKind);
    this.#apiVersion = apiVersion;
    this.#schema = mergeSchemaOf(type);
    this.#typed = type.name !== undefined;
    this.emptyObject = { metadata: {}, ...zeroObject(type), apiVersion, kind: groupVersionKind.kind };
    const converter = new VersionConverter({ apiVersion, type, hub: hub ?? groupVersionKind, convert, versions });
    const reset = new ResetFields(resetFields);
    this.#updater = new Updater({ versions: converter, filter: (version) => reset.filter(version) });
  }

  /** An object without its managedFields, in the form that the engine uses. */
  versioned(object: KubeObject): VersionedObject {
    return this.#ofEndpoint(removeObjectManagedFields(object));
  }

  #ofEndpoint(object: KubeObject): VersionedObject {
    return { object, apiVersion: this.#apiVersion, schema: this.#schema, typed: this.#typed };
  }

  /** A text that is the same for two objects without managedFields only if their creators own the same fields; see `outlineOf` in outline.ts. */
  outlineOf(object: KubeObject): string | undefined {
    return outlineOf(this.#schema, object, this.#typed);
  }

  /** The managers after `updated` replaced `live`. `changed` is the set of fields that the writer owns because of this write. */
  update(live: KubeObject, updated: KubeObject, managed: Managed): Promise<{ managed: Managed; changed: FieldSet }> {
    return this.#updater.update(this.versioned(live), this.versioned(updated), managed);
  }

  /**
   * Merges a configuration into the live object, including Go's zero values. `object` is undefined when nothing changed. Rejects with ConflictsError
   * unless `force`, and ConversionError.
   */
  apply(
    live: KubeObject,
    applied: KubeObject,
    managed: Managed,
    writer: Manager,
    force: boolean,
  ): Promise<{ object: KubeObject | undefined; managed: Managed }> {
    const current = this.versioned(live);
    const filled = this.#typed ? { ...current, object: withZeros(this.#schema, current.object) } : current;
    const configuration = this.#ofEndpoint(applied);
    return this.#updater.apply(filled, configuration, managed, managerIdentity(writer), writer, force);
  }
}

function withZeros(schema: MergeSchema, object: KubeObject): KubeObject {
  const filled = withZeroFields(schema, object);
  return isObject(filled) ? { ...object, ...filled } : object;
}
