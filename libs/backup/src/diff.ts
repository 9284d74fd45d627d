import { maskedSecret, maskedText, maskedValue, mayHoldSecret } from '@apichain/kinds/model';
import { compareText, deepClone, formatGroupVersion, isRecord, type KubeObject, deepEqual } from '@apichain/meta';
import { type BackupObjects, type StoredEntry, UnreadableError } from './backup-objects.ts';
import { resourceName, type StoredPlace } from './stored-resources.ts';

/** Which objects are compared, and what of them. */
export interface DiffOptions {
  /** Which objects are compared. Default: all. */
  readonly includes?: (place: StoredPlace) => boolean;
  /** Whether `metadata.managedFields` count. Default: false. */
  readonly managedFields?: boolean;
  /** Whether `status` counts. Default: true. */
  readonly status?: boolean;
  /** Whether the values of Secrets are in patches. Default: false; that they changed is seen in any case. */
  readonly showSecrets?: boolean;
}

/** What happened to one object between two backups. */
export interface Change {
  readonly change: 'created' | 'deleted' | 'changed';
  /** `deployments.apps` */
  readonly resource: string;
  readonly apiVersion: string;
  readonly kind: string;
  /** Absent for cluster-scoped objects. */
  readonly namespace?: string;
  readonly name: string;
  /** A JSON merge patch from the old to the new object; of a created object all of it, of a deleted one null. */
  readonly patch: unknown;
  /** Set instead of a telling patch when one of the values cannot be read: why. */
  readonly unreadable?: string;
}

/** Compares two backups object by object, in the order of resources, namespaces and names. Most objects are equal bytes and are not decoded. */
export async function* diffBackups(
  from: BackupObjects,
  to: BackupObjects,
  options: DiffOptions = {},
): AsyncGenerator<Change> {
  for (const [before, after] of pairs(from, to, options.includes)) {
    if (before !== undefined && after !== undefined && before.stored.value.equals(after.stored.value)) continue;
    const change = await changeOf([from, before], [to, after], options);
    if (change !== undefined) yield change;
  }
}

type Pair = readonly [before: StoredEntry | undefined, after: StoredEntry | undefined];

function pairs(from: BackupObjects, to: BackupObjects, includes: DiffOptions['includes'] = () => true): Pair[] {
  const keys = new Set([...from.entries.keys(), ...to.entries.keys()]);
  const placeOf = ([before, after]: Pair): StoredPlace | undefined => (after ?? before)?.place;
  const orderOf = (pair: Pair): string => {
    const place = placeOf(pair);
    return place === undefined ? '' : [resourceName(place.resource), place.namespace, place.name].join('\0');
  };
  return [...keys]
    .map((key): Pair => [from.entries.get(key), to.entries.get(key)])
    .filter((pair) => {
      const place = placeOf(pair);
      return place !== undefined && includes(place);
    })
    .map((pair) => ({ pair, order: orderOf(pair) }))
    .sort((a, b) => compareText(a.order, b.order))
    .map(({ pair }) => pair);
}

type Side = readonly [backup: BackupObjects, entry: StoredEntry | undefined];

async function changeOf(from: Side, to: Side, options: DiffOptions): Promise<Change | undefined> {
  const place = (to[1] ?? from[1])?.place;
  if (place === undefined) return undefined;
  const { resource, namespace, name } = place;
  const change = from[1] === undefined ? 'created' : to[1] === undefined ? 'deleted' : 'changed';
  const about: Omit<Change, 'patch'> = {
    ...{ change, resource: resourceName(resource), apiVersion: formatGroupVersion(resource), kind: resource.kind },
    ...(namespace === '' ? {} : { namespace }),
    name,
  };
  if (change === 'deleted') return { ...about, patch: null };
  try {
    const [before, after] = [await compared(from, options), await compared(to, options)];
    const patch = mergePatchOf(before, after);
    if (patch === undefined) return undefined;
    const hides = options.showSecrets !== true && about.resource === 'secrets';
    return { ...about, patch: hides ? maskedPatch(patch, after) : patch };
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    return { ...about, patch: {}, unreadable: error.message };
  }
}

/** The part of an object that is compared. */
async function compared([backup, entry]: Side, options: DiffOptions): Promise<KubeObject | undefined> {
  if (entry === undefined) return undefined;
  const object = deepClone(await backup.object(entry));
  delete object.metadata.resourceVersion;
  // It counts what the patch says.
  delete object.metadata.generation;
  if (options.managedFields !== true) delete object.metadata.managedFields;
  if (options.status === false) delete object.status;
  return object;
}

/** The patch of a Secret with the keys that changed and without their values. */
function maskedPatch(patch: unknown, after: KubeObject | undefined): unknown {
  if (!isRecord(patch) || after === undefined) return patch;
  if (patch.kind !== undefined && isRecord(patch.metadata)) return maskedSecret(after);
  const masked: Record<string, unknown> = { ...patch };
  for (const name of ['data', 'stringData'])
    if (isRecord(patch[name]))
      masked[name] = maskedMembers(patch[name], () => (name === 'data' ? maskedValue : maskedText));
  const { metadata } = patch;
  if (isRecord(metadata) && isRecord(metadata.annotations)) {
    const mask = (name: string, value: unknown) => (mayHoldSecret(name, value) ? maskedText : value);
    masked.metadata = { ...metadata, annotations: maskedMembers(metadata.annotations, mask) };
  }
  return masked;
}

/** A removed member stays null. */
const maskedMembers = (
  members: Readonly<Record<string, unknown>>,
  mask: (name: string, value: unknown) => unknown,
): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [name, value === null ? null : mask(name, value)]));

/**
 * The JSON merge patch that makes `after` of `before`; undefined = they are equal. Lists are replaced as a whole. A member whose new value is null is
 * the one change that a merge patch cannot express: it is removed. https://www.rfc-editor.org/rfc/rfc7396
 */
export function mergePatchOf(before: unknown, after: unknown): unknown {
  if (deepEqual(before, after)) return undefined;
  if (!isRecord(before) || !isRecord(after)) return after;
  const patch: [string, unknown][] = [];
  for (const name of Object.keys(before)) if (!Object.hasOwn(after, name)) patch.push([name, null]);
  for (const [name, value] of Object.entries(after)) {
    const change = mergePatchOf(before[name], value);
    if (change !== undefined) patch.push([name, change]);
  }
  return patch.length === 0 ? undefined : Object.fromEntries(patch);
}
