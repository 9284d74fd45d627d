import type { PersistentVolume, PersistentVolumeClaim } from '@apichain/api/core/v1';
import type { StorageClass } from '@apichain/api/storage/v1';
import { compareText } from '@apichain/meta';
import { annotations } from './annotations.ts';

/** The storage class of a claim or a volume; '' for none. The older annotation counts before the field. */
export const classOf = ({ metadata, spec }: PersistentVolumeClaim | PersistentVolume): string =>
  metadata.annotations?.[annotations.betaClass] ?? spec?.storageClassName ?? '';

/** Whether a claim says which class it wants, which may be none. */
export const saysClass = ({ metadata, spec }: PersistentVolumeClaim): boolean =>
  metadata.annotations?.[annotations.betaClass] !== undefined || spec?.storageClassName !== undefined;

/** The class of claims that say nothing: of several default classes the newest, then the first by name. */
export function defaultClass(classes: readonly StorageClass[]): StorageClass | undefined {
  const isDefault = ({ metadata }: StorageClass) =>
    metadata.annotations?.[annotations.isDefaultClass] === 'true' ||
    metadata.annotations?.[annotations.betaIsDefaultClass] === 'true';
  const age = ({ metadata }: StorageClass) => Date.parse(metadata.creationTimestamp ?? '') || 0;
  const order = (a: StorageClass, b: StorageClass) =>
    age(b) - age(a) || compareText(a.metadata.name ?? '', b.metadata.name ?? '');
  return classes.filter(isDefault).toSorted(order)[0];
}
