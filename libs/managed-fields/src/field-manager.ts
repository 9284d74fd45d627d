import {
  currentTime,
  finish,
  formatGroupVersion,
  newBadRequest,
  newUnknownError,
  parseGroupVersion,
  type GroupVersionKind,
  type KubeObject,
  type ManagedFieldsEntry,
  type ObjectMeta,
  type Work,
} from '@apichain/meta';
import { formatTime } from '@apichain/go-text';
import type { Type } from '@apichain/scheme';
import { capUpdateManagers } from './cap-managers.ts';
import { ConflictsError, toApplyConflict } from './conflict.ts';
import { isEmpty, setOf, subtracting, uniting, writing, type FieldSet } from './field-set.ts';
import { conflictsBeyondLastApplied, kubectlManager, withLastApplied } from './last-applied.ts';
import {
  decodingManagedFields,
  encodingManagedFields,
  encodeWriter,
  isReset,
  managerIdentity,
  noManagers,
  withSet,
  type Managed,
  type ManagedBuilder,
  type Manager,
} from './managed.ts';
import { admitsKeylessItems, admitsMisfits, hasMisfit, misfitsOf } from './misfits.ts';
import { mergeSchemaOf, withZeroFields, zeroObject, type MergeSchema } from './merge-schema.ts';
import { outlineOf } from './outline.ts';
import { fieldElement } from './path-element.ts';
import { excludeFields, type FieldFilter } from './reset-fields.ts';
import { Updater } from './updater.ts';
import { formatErrors, validate } from './validate.ts';
import { isObject } from './values.ts';
import { ConversionError, PendingConversion, VersionConverter, type VersionedObject } from './versions.ts';

export interface FieldManagerOptions {
  /** The type of the kind in the version of the endpoint. A named type counts as a Go struct, an unnamed one as a custom resource. */
  readonly type: Type;
  /** Kind and version that the endpoint takes. */
  readonly groupVersionKind: GroupVersionKind;
  /** `status`, `scale`, ...; empty or absent for the main resource. */
  readonly subresource?: string;
  /** Dotted paths that writes through this endpoint never own, e.g. `status`; by apiVersion where versions differ. */
  readonly resetFields?: readonly string[] | Readonly<Record<string, readonly string[]>>;
  /** The object in another version; undefined when it is unknown. Without it, there is none. */
  readonly convert?: (object: KubeObject, apiVersion: string) => KubeObject | undefined;
  /** The kind in the version of the store; absent where that is the version of the endpoint. */
  readonly hub?: GroupVersionKind;
  /** The type of the kind in another version. */
  readonly typeOf?: (apiVersion: string) => Type | undefined;
  /** Whether live objects may have been written under another type, for custom resources. */
  readonly typeHasChanged?: boolean;
  /** Milliseconds since the epoch; the clock that stamps entries. */
  readonly now?: () => number;
}

/** Shapes of new objects whose fields are remembered, each kind's own. */
const maxOutlines = 64;

const beforeFirstApply = 'before-first-apply';
const unknownManager = 'unknown';

/** Never part of a set: identity and what the server writes. */
const strippedFields: FieldSet = setOf([
  ['f:apiVersion'],
  ['f:kind'],
  ['f:metadata'],
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((name) => ['f:metadata', fieldElement(name)]),
]);

const formatKind = ({ group, version, kind }: GroupVersionKind): string => `${group}/${version}, Kind=${kind}`;

function kindOf(object: KubeObject): GroupVersionKind {
  const apiVersion = typeof object.apiVersion === 'string' ? object.apiVersion : '';
  const kind = typeof object.kind === 'string' ? object.kind : '';
  try {
    return { ...parseGroupVersion(apiVersion), kind };
  } catch {
    return { group: '', version: '', kind: '' };
  }
}

const metadataOf = (object: KubeObject): ObjectMeta => (isObject(object.metadata) ? object.metadata : {});

function withoutManagedFields(object: KubeObject): KubeObject {
  const metadata = metadataOf(object);
  if (metadata.managedFields === undefined) return object;
  const { managedFields: _, ...rest } = metadata;
  return withMetadata(object, rest);
}

/** The copies carry what the originals do of fields that were given as empty ones. */
const withMetadata = (object: KubeObject, metadata: ObjectMeta): KubeObject => ({ ...object, metadata });

function withManagedFields(object: KubeObject, managedFields: ManagedFieldsEntry[] | undefined): KubeObject {
  const { managedFields: _, ...metadata } = metadataOf(object);
  return withMetadata(object, managedFields === undefined ? metadata : { ...metadata, managedFields });
}

function* decodeOrEmpty(entries: ManagedFieldsEntry[] | undefined): Work<Managed> {
  try {
    return yield* decodingManagedFields(entries);
  } catch {
    return noManagers;
  }
}

/**
 * Tracks who owns which field of the objects of one endpoint, and merges applied configurations.
 * After k8s.io/apimachinery/pkg/util/managedfields; https://kubernetes.io/docs/reference/using-api/server-side-apply/
 */
export class FieldManager {
  readonly #options: FieldManagerOptions;
  readonly #apiVersion: string;
  readonly #subresource: string;
  readonly #schema: MergeSchema;
  readonly #typed: boolean;
  readonly #admitsMisfits: boolean;
  readonly #empty: KubeObject;
  readonly #updater: Updater;
  /** The fields of those who created objects, by the outline of the object: most objects of a kind look alike. */
  readonly #ofOutline = new Map<string, FieldSet>();
  readonly #filters = new Map<string, FieldFilter | undefined>();

  constructor(options: FieldManagerOptions) {
    const { groupVersionKind, type } = options;
    this.#options = options;
    this.#apiVersion = formatGroupVersion(groupVersionKind);
    this.#subresource = options.subresource ?? '';
    this.#schema = mergeSchemaOf(type);
    this.#typed = type.name !== undefined;
    this.#admitsMisfits = this.#typed
      ? admitsKeylessItems(type)
      : options.typeHasChanged === true || admitsMisfits(type);
    this.#empty = { metadata: {}, ...zeroObject(type), apiVersion: this.#apiVersion, kind: groupVersionKind.kind };
    const versions = new VersionConverter({
      apiVersion: this.#apiVersion,
      type,
      hub: options.hub ?? groupVersionKind,
      convert: options.convert,
      typeOf: options.typeOf,
    });
    this.#updater = new Updater({ versions, filter: (apiVersion) => this.#filter(apiVersion) });
  }

  /**
   * For create, update and every patch but apply: `updated` with the metadata.managedFields that follow from what the
   * manager changed against `live` (undefined on create). Entries that do not change keep their time. Neither object is
   * changed. Never throws: when the fields cannot be tracked, as when the written object does not fit its schema in some
   * version that a manager knows it in, nobody owns anything any more.
   */
  update(live: KubeObject | undefined, updated: KubeObject, manager: string): KubeObject {
    return finish(this.updating(live, updated, manager));
  }

  /** `update` in steps. */
  *updating(live: KubeObject | undefined, updated: KubeObject, manager: string): Work<KubeObject> {
    try {
      const managed = yield* this.#decodeLiveOrNew(live, updated);
      yield;
      if (live === undefined && managed.size === 0) {
        if (this.#doesNotFit(updated)) return withoutManagedFields(updated);
        yield;
        return yield* this.#created(updated, manager);
      }
      const isUntracked = managed.size === 0 && (live?.metadata.uid ?? '') !== '';
      if (isUntracked || this.#doesNotFit(updated) || this.#liveDoesNotFit(live)) return withoutManagedFields(updated);
      yield;
      const after = yield* this.#track(live ?? this.#empty, updated, managed, manager);
      yield;
      return withManagedFields(updated, yield* encodingManagedFields(after));
    } catch (error) {
      if (error instanceof PendingConversion) throw error;
      return withoutManagedFields(updated);
    }
  }

  /**
   * Server-side apply: `live` (undefined = create) merged with the configuration as the client sent it, without defaults
   * or zero values. The answer still has to go through decoding and defaulting of its kind. With nothing changed it is the
   * live object, save for managedFields. Throws StatusError: 400 for another kind or managedFields in the configuration, 409 with
   * one cause a conflict unless `force`, and 500 when the configuration does not fit the schema.
   */
  apply(live: KubeObject | undefined, applied: KubeObject, manager: string, force: boolean): KubeObject {
    return finish(this.applying(live, applied, manager, force));
  }

  /** `apply` in steps. */
  *applying(live: KubeObject | undefined, applied: KubeObject, manager: string, force: boolean): Work<KubeObject> {
    const current = live ?? this.#empty;
    const managed = yield* decodeOrThrow(metadataOf(current).managedFields);
    if (managed.size === 0) {
      this.#checkLive(
        live,
        'failed to create manager for existing fields: failed to convert new object',
        ' to smd typed',
      );
    }
    yield;
    this.#checkApplied(applied);
    yield;
    this.#checkLive(live, 'failed to create typed live object', '');
    yield;
    const liveManaged =
      managed.size === 0 ? yield* this.#track(this.#empty, current, managed, beforeFirstApply) : managed;
    try {
      return yield* this.#applyOrConflict(current, applied, liveManaged, manager, force);
    } catch (error) {
      if (error instanceof ConversionError) throw newUnknownError(error.message);
      if (!(error instanceof ConflictsError)) throw error;
      if (manager !== kubectlManager) throw toApplyConflict(error);
      const rest = conflictsBeyondLastApplied(this.#versioned(withoutManagedFields(current)), error.conflicts);
      if (rest.length > 0) throw toApplyConflict(new ConflictsError(rest));
      return yield* this.#applyOrConflict(current, applied, liveManaged, manager, true);
    }
  }

  #versioned(object: KubeObject): VersionedObject {
    return { object, apiVersion: this.#apiVersion, schema: this.#schema, typed: this.#typed };
  }

  #filter(apiVersion: string): FieldFilter | undefined {
    if (!this.#filters.has(apiVersion)) this.#filters.set(apiVersion, this.#makeFilter(apiVersion));
    return this.#filters.get(apiVersion);
  }

  #makeFilter(apiVersion: string): FieldFilter | undefined {
    const { resetFields } = this.#options;
    const paths = isPathList(resetFields) ? resetFields : resetFields?.[apiVersion];
    return paths === undefined || paths.length === 0 ? undefined : excludeFields(paths);
  }

  #writer(manager: string, applied: boolean): Manager {
    return {
      name: manager === '' ? unknownManager : manager,
      subresource: this.#subresource,
      applied,
      apiVersion: this.#apiVersion,
      set: {},
      time: undefined,
    };
  }

  #time(): string {
    return formatTime(new Date((this.#options.now ?? currentTime)()));
  }

  /** A writer of the main resource may set managedFields itself; through subresources, and when it sends nothing usable, the live ones count. */
  *#decodeLiveOrNew(live: KubeObject | undefined, updated: KubeObject): Work<Managed> {
    const liveEntries = live?.metadata.managedFields;
    const entries = metadataOf(updated).managedFields;
    if (this.#subresource !== '' || entries === undefined) return yield* decodeOrEmpty(liveEntries);
    if (isReset(entries)) return noManagers;
    const managed = yield* decodeOrEmpty(entries);
    return managed.size === 0 ? yield* decodeOrEmpty(liveEntries) : managed;
  }

  /**
   * Most of what does not fit is refused by validation later, unless it was so before the type changed. What the endpoint is going to reset is
   * not: the status in an update of the whole, the rest in one of the status. Objects with a Go type fit, but for lists with keys, or could not
   * be decoded.
   */
  #doesNotFit(updated: KubeObject): boolean {
    if (this.#typed) return this.#admitsMisfits && hasMisfit(this.#schema, { ...updated, metadata: undefined });
    if (updated.kind !== this.#options.groupVersionKind.kind) return true;
    if (this.#admitsMisfits || this.#subresource !== '')
      return hasMisfit(this.#schema, { ...updated, metadata: undefined });
    if (this.#options.resetFields === undefined) return false;
    const status = this.#schema.map?.fields.get('status')?.schema;
    return updated['status'] !== undefined && status !== undefined && hasMisfit(status, updated['status']);
  }

  #liveDoesNotFit(live: KubeObject | undefined): boolean {
    if (live === undefined || this.#typed || !this.#admitsMisfits) return false;
    return hasMisfit(this.#schema, { ...live, metadata: undefined });
  }

  *#created(object: KubeObject, manager: string): Work<KubeObject> {
    const fields = yield* this.#fieldsOfCreator(withoutManagedFields(object));
    if (isEmpty(fields)) return withManagedFields(object, undefined);
    return withManagedFields(object, [
      encodeWriter({ ...this.#writer(manager, false), set: fields, time: this.#time() }, fields),
    ]);
  }

  /** What a manager owns who brings the object into being, in the order in which it is written. */
  *#fieldsOfCreator(object: KubeObject): Work<FieldSet> {
    const outline = outlineOf(this.#schema, object, this.#typed);
    const known = outline === undefined ? undefined : this.#ofOutline.get(outline);
    if (known !== undefined) return known;
    yield;
    const work = this.#updater.update(this.#versioned(this.#empty), this.#versioned(object), noManagers);
    const { changed } = yield* work;
    yield;
    const owned = yield* subtracting(changed, strippedFields);
    yield;
    const fields = yield* writing(owned);
    if (outline !== undefined) this.#remember(outline, fields);
    return fields;
  }

  #remember(outline: string, fields: FieldSet): void {
    if (this.#ofOutline.size >= maxOutlines) this.#ofOutline.clear();
    this.#ofOutline.set(outline, fields);
  }

  *#track(live: KubeObject, updated: KubeObject, managed: Managed, manager: string): Work<Managed> {
    const before = this.#versioned(withoutManagedFields(live));
    const after = this.#versioned(withoutManagedFields(updated));
    const result = yield* this.#updater.update(before, after, managed);
    yield;
    const changed = yield* subtracting(result.changed, strippedFields);
    if (isEmpty(changed)) return result.managed;
    const writer = this.#writer(manager, false);
    const identity = managerIdentity(writer);
    const previous = result.managed.get(identity);
    yield;
    const set = previous === undefined ? changed : yield* uniting(previous.set, changed);
    const out: ManagedBuilder = new Map(result.managed);
    out.set(identity, withSet(writer, set, { time: this.#time() }));
    yield;
    return capUpdateManagers(out);
  }

  #checkApplied(applied: KubeObject): void {
    const kind = kindOf(applied);
    const { groupVersionKind } = this.#options;
    if (formatKind(kind) !== formatKind(groupVersionKind)) {
      throw newBadRequest(`invalid object type: ${formatKind(kind)}`);
    }
    if (Array.isArray(metadataOf(applied).managedFields)) throw newBadRequest('metadata.managedFields must be nil');
    const errors = validate(this.#schema, applied);
    if (errors.length === 0) return;
    throw newUnknownError(`failed to create typed patch object (${subjectOf(applied)}): ${formatErrors(errors)}`);
  }

  /** Nothing can be merged into an object that does not fit its schema. */
  #checkLive(live: KubeObject | undefined, failure: string, purpose: string): void {
    if (live === undefined || !this.#admitsMisfits) return;
    const errors = misfitsOf(this.#schema, { ...live, metadata: undefined });
    if (errors.length > 0) throw newUnknownError(`${failure} (${subjectOf(live)})${purpose}: ${formatErrors(errors)}`);
  }

  *#applyOrConflict(
    live: KubeObject,
    applied: KubeObject,
    managed: Managed,
    manager: string,
    force: boolean,
  ): Work<KubeObject> {
    const writer = this.#writer(manager, true);
    const identity = managerIdentity(writer);
    const object = withoutManagedFields(live);
    yield;
    const current = this.#versioned(this.#typed ? { ...object, ...zeroFilled(this.#schema, object) } : object);
    yield;
    const result = yield* this.#updater.apply(current, this.#versioned(applied), managed, identity, writer, force);
    yield;
    const out = yield* this.#stamped(result.managed, identity, result.object !== undefined);
    yield;
    const answer = withManagedFields(result.object ?? object, yield* encodingManagedFields(out));
    return manager === kubectlManager ? withLastApplied(answer, applied) : answer;
  }

  /** The applier's entry without the fields that nobody owns, and with the time if the object changed. */
  *#stamped(managed: Managed, identity: string, isChanged: boolean): Work<Managed> {
    const manager = managed.get(identity);
    if (manager === undefined) return managed;
    const out: ManagedBuilder = new Map(managed);
    const set = yield* subtracting(manager.set, strippedFields);
    if (isEmpty(set)) out.delete(identity);
    else out.set(identity, withSet(manager, set, isChanged ? { time: this.#time() } : {}));
    return out;
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function subjectOf(object: KubeObject): string {
  const { namespace, name }: Record<string, unknown> = { ...metadataOf(object) };
  return `${textOf(namespace)}/${textOf(name)}; ${formatKind(kindOf(object))}`;
}

const isPathList = (fields: FieldManagerOptions['resetFields']): fields is readonly string[] => Array.isArray(fields);

const zeroFilled = (schema: MergeSchema, object: KubeObject): object => {
  const filled = withZeroFields(schema, object);
  return isObject(filled) ? filled : object;
};

function* decodeOrThrow(entries: ManagedFieldsEntry[] | undefined): Work<Managed> {
  try {
    return yield* decodingManagedFields(entries);
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    throw newUnknownError(`failed to decode managed fields: ${cause}`);
  }
}
