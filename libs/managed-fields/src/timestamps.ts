import { errorMessage, semanticEqual, type KubeObject, type ManagedFieldsEntry } from '@apichain/meta';
import { decodeManagedFields } from './managed.ts';
import { equalValues } from './values.ts';

const withoutTime = (entry: ManagedFieldsEntry): ManagedFieldsEntry => ({ ...entry, time: '' });

function equalButForTimes(a: ManagedFieldsEntry[], b: ManagedFieldsEntry[]): boolean {
  return a.length === b.length && a.every((entry, i) => equalValues(withoutTime(entry), withoutTime(b[i] ?? {})));
}

/**
 * `updated` with the managedFields of `live` if these differ only in times and the rest of the object is the same, so that a write that changes
 * nothing remains a no-op. KUBE_APISERVER_AVOID_NOOP_SSA_TIMESTAMP_UPDATES. Objects of built-in kinds are compared semantically: an empty list
 * equals an absent one. `custom` objects must be equal in every value.
 */
export function keepManagedFieldsTimes(live: KubeObject, updated: KubeObject, custom: boolean): KubeObject {
  const before = live.metadata.managedFields ?? [];
  const after = updated.metadata.managedFields ?? [];
  if (before.length === 0 || !equalButForTimes(before, after) || equalValues(before, after)) return updated;
  const candidate = { ...updated, metadata: { ...updated.metadata, managedFields: before } };
  return (custom ? equalValues : semanticEqual)(candidate, live) ? candidate : updated;
}

/** The error in metadata.managedFields, or undefined. Admission plugins may have made them invalid. */
export function managedFieldsError(entries: ManagedFieldsEntry[] | undefined): string | undefined {
  try {
    decodeManagedFields(entries);
    return undefined;
  } catch (error) {
    return errorMessage(error);
  }
}
