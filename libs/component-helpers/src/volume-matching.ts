import type { Node, ObjectReference, PersistentVolume, PersistentVolumeClaim } from '@apichain/api/core/v1';
import { type Quantity, compareText, labelSelectorFromObject, parseQuantity, quantityFromJson } from '@apichain/meta';
import { storageClassOf, storageAnnotations } from './claims.ts';
import { matchesAnyTerm } from './node-affinity.ts';

const zero = parseQuantity('0');
const storageOf = (amounts: Readonly<Record<string, string>> | undefined): Quantity => {
  const storage = amounts?.['storage'];
  return storage === undefined ? zero : quantityFromJson(storage);
};

/** How much storage a claim requests. */
export const claimSize = ({ spec }: PersistentVolumeClaim): Quantity => storageOf(spec?.resources?.requests);

/** How much storage a volume has. */
export const volumeSize = ({ spec }: PersistentVolume): Quantity => storageOf(spec?.capacity);

/** Whether a volume can be used on a node. */
export function isReachable({ spec }: PersistentVolume, node: Node): boolean {
  const required = spec?.nodeAffinity?.required;
  return required === undefined || matchesAnyTerm(required.nodeSelectorTerms, node);
}

/** Whether a volume refers to a claim: by its name, and by its uid if the reference has one. */
export function isReservedFor({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const { name, namespace, uid = '' } = spec?.claimRef ?? {};
  return name === metadata.name && namespace === metadata.namespace && (uid === '' || uid === metadata.uid);
}

/** Whether both are file systems, or both are block devices. */
export const hasSameMode = (volume: PersistentVolume, claim: PersistentVolumeClaim): boolean =>
  (volume.spec?.volumeMode ?? 'Filesystem') === (claim.spec?.volumeMode ?? 'Filesystem');

/** Whether both have the same class of attributes, or none. */
export const hasSameAttributes = (volume: PersistentVolume, claim: PersistentVolumeClaim): boolean =>
  (volume.spec?.volumeAttributesClassName ?? '') === (claim.spec?.volumeAttributesClassName ?? '');

/** Whether the volume can be used in all ways in which the claim wants it. */
export const hasAccessModes = (volume: PersistentVolume, claim: PersistentVolumeClaim): boolean =>
  (claim.spec?.accessModes ?? []).every((mode) => volume.spec?.accessModes?.includes(mode) === true);

/** Whether a volume may be bound to a claim at all. */
const isSuitable = (volume: PersistentVolume, claim: PersistentVolumeClaim): boolean =>
  volumeSize(volume).compare(claimSize(claim)) >= 0 &&
  hasSameMode(volume, claim) &&
  hasSameAttributes(volume, claim) &&
  volume.metadata.deletionTimestamp === undefined;

/** What a volume is chosen for, besides its claim. */
interface MatchingOptions {
  /** The node on which the volume is to be used; otherwise it may be anywhere. */
  readonly node?: Node;
  /** The names of volumes that are promised to other claims. */
  readonly taken?: ReadonlySet<string>;
  /** Only what is reserved for the claim: the scheduler chooses among the free ones. */
  readonly onlyReserved?: boolean;
}

/**
 * The volume that a claim gets: one that is reserved for it, else the smallest free one that is large enough and matches; of several, the first by name.
 * Undefined if there is none. Throws SelectorError. Source: FindMatchingVolume in k8s.io/component-helpers/storage/volume.
 */
export function matchingVolume(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
  { node, taken, onlyReserved = false }: MatchingOptions = {},
): PersistentVolume | undefined {
  const isThere = (volume: PersistentVolume) => node === undefined || isReachable(volume, node);
  const candidates = volumes.filter(
    (volume) => taken?.has(volume.metadata.name ?? '') !== true && isSuitable(volume, claim),
  );
  const reserved = candidates.find((volume) => isReservedFor(volume, claim));
  if (reserved !== undefined) return isThere(reserved) ? reserved : undefined;
  if (onlyReserved) return undefined;
  const { selector } = claim.spec ?? {};
  const selected = selector === undefined ? undefined : labelSelectorFromObject(selector);
  const className = storageClassOf(claim);
  let best: PersistentVolume | undefined;
  for (const volume of candidates) {
    const { spec, status, metadata } = volume;
    if (spec?.claimRef !== undefined || status?.phase !== 'Available' || storageClassOf(volume) !== className) continue;
    if (selected?.matches(metadata.labels) === false || !hasAccessModes(volume, claim) || !isThere(volume)) continue;
    if (best === undefined || bySize(volume, best) < 0) best = volume;
  }
  return best;
}

const bySize = (a: PersistentVolume, b: PersistentVolume): number =>
  volumeSize(a).compare(volumeSize(b)) || compareText(a.metadata.name ?? '', b.metadata.name ?? '');

/** A reference to a claim, as a volume has it that is bound to the claim. */
export function referenceToClaim({ metadata }: PersistentVolumeClaim): ObjectReference {
  const { namespace = '', name = '', uid = '', resourceVersion = '' } = metadata;
  return { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid, resourceVersion };
}

/** A volume that refers to a claim. The volume itself if it does already. Source: GetBindVolumeToClaim in k8s.io/component-helpers/storage/volume. */
export function volumeGivenTo(volume: PersistentVolume, claim: PersistentVolumeClaim): PersistentVolume {
  const isOurs = isReservedFor(volume, claim);
  if (isOurs && volume.spec?.claimRef?.uid === claim.metadata.uid) return volume;
  const { metadata, spec } = volume;
  const { annotations = {} } = metadata;
  // It is the controller or the scheduler that has chosen the claim, not a user.
  const noted = isOurs ? {} : { annotations: { [storageAnnotations.boundByController]: 'yes', ...annotations } };
  return { ...volume, metadata: { ...metadata, ...noted }, spec: { ...spec, claimRef: referenceToClaim(claim) } };
}
