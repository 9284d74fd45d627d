import { newUnknownError, type KubeObject, type ManagedFieldsEntry, type ObjectMeta } from '@apichain/meta';
import { decodeManagedFields, isReset, noManagers, type Managed } from './managed.ts';
import { isObject } from './values.ts';

/**
 * metadata.managedFields as a member of an object: removed before fields are compared, decoded before a write and set again after it. Source:
 * managedfields.go and fieldmanager.go of k8s.io/apimachinery/pkg/util/managedfields/internal.
 */

/** The metadata of an object. If the client sent another type of value, the metadata counts as empty. */
export const metadataOf = (object: KubeObject): ObjectMeta => (isObject(object.metadata) ? object.metadata : {});

/** The object without metadata.managedFields. The spread also copies the facts about emptied fields (Struct). */
export function removeObjectManagedFields(object: KubeObject): KubeObject {
  const metadata = metadataOf(object);
  if (metadata.managedFields === undefined) return object;
  const { managedFields: _, ...rest } = metadata;
  return { ...object, metadata: rest };
}

/** The object with these entries as its metadata.managedFields; undefined = none. */
export function setObjectManagedFields(
  object: KubeObject,
  managedFields: ManagedFieldsEntry[] | undefined,
): KubeObject {
  const { managedFields: _, ...metadata } = metadataOf(object);
  return { ...object, metadata: managedFields === undefined ? metadata : { ...metadata, managedFields } };
}

/** Whether an object has the identical members of the live object, except managedFields. */
export function isLiveBesidesManagers(object: KubeObject, live: KubeObject): boolean {
  if (object === live) return true;
  const { metadata, ...members } = object;
  const { managedFields: _, ...kept } = metadata;
  const same = (value: object, of: object): boolean =>
    Object.entries(value).every(([name, m]) => Reflect.get(of, name) === m);
  const count = (value: object, without: string): number =>
    Object.keys(value).filter((name) => name !== without).length;
  if (count(live, 'metadata') !== count(members, '') || !same(members, live)) return false;
  return count(live.metadata, 'managedFields') === count(kept, '') && same(kept, live.metadata);
}

/**
 * The managers before an update. A writer of the main resource may set managedFields in its request. For subresources, and when the request contains
 * no usable entries, the live managers are used.
 */
export function decodeLiveOrNew(live: KubeObject | undefined, updated: KubeObject, subresource: string): Managed {
  const liveEntries = live?.metadata.managedFields;
  const entries = metadataOf(updated).managedFields;
  if (subresource !== '' || entries === undefined) return decodeOrEmpty(liveEntries);
  if (isReset(entries)) return noManagers;
  const managed = decodeOrEmpty(entries);
  return managed.size === 0 ? decodeOrEmpty(liveEntries) : managed;
}

function decodeOrEmpty(entries: ManagedFieldsEntry[] | undefined): Managed {
  try {
    return decodeManagedFields(entries);
  } catch {
    return noManagers;
  }
}

/** The managers before an apply. Throws StatusError 500 for entries that cannot be decoded. */
export function decodeLive(live: KubeObject): Managed {
  try {
    return decodeManagedFields(metadataOf(live).managedFields);
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    throw newUnknownError(`failed to decode managed fields: ${cause}`);
  }
}
