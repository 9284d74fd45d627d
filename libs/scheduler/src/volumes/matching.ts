import type { Node, PersistentVolume, PersistentVolumeClaim } from '@apichain/api/core/v1';
import { labelSelectorFromObject } from '@apichain/meta';
import { matchesAnyTerm } from '../cluster/node-selection.ts';
import { amountOf } from '../cluster/resources.ts';
import { boundByControllerAnnotation, classNameOf } from './claims.ts';

/** Whether a volume can be used on a node. */
export function isReachable({ spec }: PersistentVolume, node: Node): boolean {
  const required = spec?.nodeAffinity?.required;
  return required === undefined || matchesAnyTerm(required.nodeSelectorTerms, node);
}

/** Whether the volume names the claim. */
function isBoundTo({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const { claimRef } = spec ?? {};
  return (
    claimRef !== undefined &&
    claimRef.name === metadata.name &&
    claimRef.namespace === metadata.namespace &&
    ((claimRef.uid ?? '') === '' || claimRef.uid === metadata.uid)
  );
}

/** How much storage a claim requests, or a volume has, in bytes. */
export const claimSize = ({ spec }: PersistentVolumeClaim): number =>
  amountOf('storage', spec?.resources?.requests?.['storage']);
const volumeSize = ({ spec }: PersistentVolume) => amountOf('storage', spec?.capacity?.['storage']);

/**
 * The volume that a claim would get on a node: one that is reserved for it, else the smallest that is large enough and matches. Undefined if there is
 * none. Throws SelectorError.
 */
export function matchingVolume(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
  node: Node,
  taken: ReadonlySet<string>,
): PersistentVolume | undefined {
  const candidates = volumes.filter((volume) => !taken.has(volume.metadata.name ?? '') && suits(volume, claim));
  const reserved = candidates.find((volume) => isBoundTo(volume, claim));
  if (reserved !== undefined) return isReachable(reserved, node) ? reserved : undefined;
  const selector = claim.spec?.selector === undefined ? undefined : labelSelectorFromObject(claim.spec.selector);
  let smallest: PersistentVolume | undefined;
  for (const volume of candidates) {
    if (volume.status?.phase !== 'Available' || classNameOf(volume) !== classNameOf(claim)) continue;
    if (selector?.matches(volume.metadata.labels) === false) continue;
    if (!isReachable(volume, node) || !hasAccessModes(volume, claim)) continue;
    if (smallest === undefined || volumeSize(volume) < volumeSize(smallest)) smallest = volume;
  }
  return smallest;
}

function suits(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const { claimRef, volumeMode = 'Filesystem', volumeAttributesClassName = '' } = volume.spec ?? {};
  const { volumeMode: wantedMode = 'Filesystem', volumeAttributesClassName: wantedClass = '' } = claim.spec ?? {};
  return (
    (claimRef === undefined || isBoundTo(volume, claim)) &&
    volumeSize(volume) >= claimSize(claim) &&
    volumeMode === wantedMode &&
    volumeAttributesClassName === wantedClass &&
    volume.metadata.deletionTimestamp === undefined
  );
}

const hasAccessModes = ({ spec }: PersistentVolume, claim: PersistentVolumeClaim) =>
  (claim.spec?.accessModes ?? []).every((mode) => spec?.accessModes?.includes(mode) === true);

/** The volume as it is once it is given to the claim. */
export function givenTo(volume: PersistentVolume, claim: PersistentVolumeClaim): PersistentVolume {
  const { claimRef } = volume.spec ?? {};
  const { name = '', namespace = '', uid = '', resourceVersion = '' } = claim.metadata;
  const isSame = claimRef?.name === name && claimRef.namespace === namespace && claimRef.uid === uid;
  const reference = { kind: 'PersistentVolumeClaim', namespace, name, uid, apiVersion: 'v1', resourceVersion };
  const annotations = isBoundTo(volume, claim)
    ? volume.metadata.annotations
    : { [boundByControllerAnnotation]: 'yes', ...volume.metadata.annotations };
  return {
    ...volume,
    metadata: { ...volume.metadata, ...(annotations === undefined ? {} : { annotations }) },
    spec: { ...volume.spec, claimRef: isSame ? claimRef : reference },
  };
}
