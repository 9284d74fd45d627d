import type { PersistentVolumeClaim } from '@apichain/api/core/v1';
import type { StorageClass } from '@apichain/api/storage/v1';
import { storageAnnotations } from '@apichain/component-helpers';
import { compareText } from '@apichain/meta';

/** Whether a claim says which class it wants, which may be none. */
export const saysClass = ({ metadata, spec }: PersistentVolumeClaim): boolean =>
  metadata.annotations?.[storageAnnotations.betaClass] !== undefined || spec?.storageClassName !== undefined;

/** The class of claims that say nothing: of several default classes the newest, then the first by name. */
export function defaultClass(classes: readonly StorageClass[]): StorageClass | undefined {
  const isDefault = ({ metadata }: StorageClass) =>
    metadata.annotations?.[storageAnnotations.isDefaultClass] === 'true' ||
    metadata.annotations?.[storageAnnotations.betaIsDefaultClass] === 'true';
  const age = ({ metadata }: StorageClass) => Date.parse(metadata.creationTimestamp ?? '') || 0;
  const order = (a: StorageClass, b: StorageClass) =>
    age(b) - age(a) || compareText(a.metadata.name ?? '', b.metadata.name ?? '');
  return classes.filter(isDefault).toSorted(order)[0];
}
