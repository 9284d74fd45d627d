import { errorMessage, semanticEqual, type KubeObject, type ManagedFieldsEntry } from '@apichain/meta';
import { decodeManagedFields } from './managed.ts';
import { equalValues } from './values.ts';

const withoutTime = (entry: ManagedFieldsEntry): ManagedFieldsEntry => ({ ...entry, time: '' });

function equalButForTimes(a: ManagedFieldsEntry[], b: ManagedFieldsEntry[]): boolean {
  return a.length === b.length && a.every((entry, i) => equalValues(withoutTime(entry), withoutTime(b[i] ?? {})));
}

/**
 * `updated` with the managedFields of `live` if they differ in nothing but times and the rest of the object is the same,
 * so that a write that changes nothing stays one. KUBE_APISERVER_AVOID_NOOP_SSA_TIMESTAMP_UPDATES.
 * Objects of built-in kinds are the same when they mean the same: an empty list is none; `custom` ones must be alike in every value.
 */
export function keepManagedFieldsTimes(live: KubeObject, updated: KubeObject, custom: boolean): KubeObject {
  const before = live.metadata.managedFields ?? [];
  const after = updated.metadata.managedFields ?? [];
  if (before.length === 0 || !equalButForTimes(before, after) || equalValues(before, after)) return updated;
  const candidate = { ...updated, metadata: { ...updated.metadata, managedFields: before } };
  return (custom ? equalValues : semanticEqual)(candidate, live) ? candidate : updated;
}

/** What is wrong with metadata.managedFields, or undefined. Admission plugins may have spoilt it. */
export function managedFieldsError(entries: ManagedFieldsEntry[] | undefined): string | undefined {
  try {
    decodeManagedFields(entries);
    return undefined;
  } catch (error) {
    return errorMessage(error);
  }
}
