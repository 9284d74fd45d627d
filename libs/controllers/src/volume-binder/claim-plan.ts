import type { PersistentVolume, PersistentVolumeClaim } from '@apichain/api/core/v1';
import type { StorageClass } from '@apichain/api/storage/v1';
import { isReservedFor, storageAnnotations, storageClassOf } from '@apichain/component-helpers';
import { bestVolume, mismatch } from './matching.ts';
import { compareText } from '@apichain/meta';

/** What is to be said about a claim or a volume. */
export interface Notice {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** What becomes of a claim. */
export type ClaimPlan =
  | { readonly action: 'bind'; readonly volume: PersistentVolume }
  /** The claim waits; `isRefused` for one that is left as it is, and looked at again with a back-off. */
  | { readonly action: 'wait'; readonly notice?: Notice; readonly isRefused?: true }
  | { readonly action: 'provision'; readonly className: string }
  | { readonly action: 'setClass'; readonly className: string }
  | { readonly action: 'lose'; readonly notice: Notice };

/** What the plan for a claim depends on. */
export interface ClaimView {
  /** The volumes that are reserved for the claim, and the free ones of its class. */
  readonly candidates: readonly PersistentVolume[];
  /** The volume that the claim names. */
  readonly named: PersistentVolume | undefined;
  readonly classes: readonly StorageClass[];
  /** The names of the pods that use the claim and have no node yet. */
  readonly waitingPods: readonly string[];
}

/** Decides what becomes of a claim. Source: syncClaim in k8s.io/kubernetes/pkg/controller/volume/persistentvolume. */
export function planClaim(claim: PersistentVolumeClaim, view: ClaimView): ClaimPlan {
  if (claim.metadata.annotations?.[storageAnnotations.bindCompleted] !== undefined) return planBound(claim, view.named);
  return (claim.spec?.volumeName ?? '') === '' ? planUnbound(claim, view) : planNamed(claim, view.named);
}

const warning = (reason: string, message: string): Notice => ({ type: 'Warning', reason, message });
const normal = (reason: string, message: string): Notice => ({ type: 'Normal', reason, message });

function planBound(claim: PersistentVolumeClaim, volume: PersistentVolume | undefined): ClaimPlan {
  const lost = (what: string) =>
    ({
      action: 'lose',
      notice: warning('ClaimLost', `Bound claim has lost ${what}. Data on the volume is lost!`),
    }) as const;
  if ((claim.spec?.volumeName ?? '') === '') return lost('reference to PersistentVolume');
  if (volume === undefined) return lost('its PersistentVolume');
  const { claimRef } = volume.spec ?? {};
  if (claimRef === undefined || claimRef.uid === claim.metadata.uid) return { action: 'bind', volume };
  const message = 'Two claims are bound to the same volume, this one is bound incorrectly';
  return { action: 'lose', notice: warning('ClaimMisbound', message) };
}

function planNamed(claim: PersistentVolumeClaim, volume: PersistentVolume | undefined): ClaimPlan {
  if (volume === undefined) return { action: 'wait' };
  const name = JSON.stringify(volume.metadata.name);
  if (volume.spec?.claimRef === undefined) {
    const problem = mismatch(volume, claim);
    if (problem === undefined) return { action: 'bind', volume };
    return {
      action: 'wait',
      notice: warning('VolumeMismatch', `Cannot bind to requested volume ${name}: ${problem}`),
    };
  }
  if (isReservedFor(volume, claim)) return { action: 'bind', volume };
  const notice = warning('FailedBinding', `volume ${name} already bound to a different claim.`);
  const isByController = claim.metadata.annotations?.[storageAnnotations.boundByController] !== undefined;
  return { action: 'wait', notice, ...(isByController && { isRefused: true }) };
}

function planUnbound(claim: PersistentVolumeClaim, { candidates, classes, waitingPods }: ClaimView): ClaimPlan {
  const className = storageClassOf(claim);
  const known = classes.find(({ metadata }) => metadata.name === className);
  const isDelayed = className !== '' && known?.volumeBindingMode === 'WaitForFirstConsumer';
  const volume = bestVolume(claim, candidates, isDelayed);
  if (volume !== undefined) return { action: 'bind', volume };
  const byDefault = saysClass(claim) ? undefined : defaultClass(classes);
  if (byDefault !== undefined) return { action: 'setClass', className: byDefault.metadata.name ?? '' };
  const hasNode = claim.metadata.annotations?.[storageAnnotations.selectedNode] !== undefined;
  if (isDelayed && !hasNode) return { action: 'wait', notice: firstConsumerNotice(waitingPods) };
  if (className !== '') return { action: 'provision', className };
  const message = 'no persistent volumes available for this claim and no storage class is set';
  return { action: 'wait', notice: normal('FailedBinding', message) };
}

function firstConsumerNotice(pods: readonly string[]): Notice {
  if (pods.length === 0)
    return normal('WaitForFirstConsumer', 'waiting for first consumer to be created before binding');
  const what = pods.length > 1 ? `pods ${pods.join(',')}` : `pod ${pods[0]}`;
  return normal('WaitForPodScheduled', `waiting for ${what} to be scheduled`);
}

/** Whether a claim says which class it wants, which may be none. */
export const saysClass = ({ metadata, spec }: PersistentVolumeClaim): boolean =>
  metadata.annotations?.[storageAnnotations.betaClass] !== undefined || spec?.storageClassName !== undefined;

/** The class of claims that say nothing: of several default classes the newest, then the first by name. */
function defaultClass(classes: readonly StorageClass[]): StorageClass | undefined {
  const isDefault = ({ metadata }: StorageClass) =>
    metadata.annotations?.[storageAnnotations.isDefaultClass] === 'true' ||
    metadata.annotations?.[storageAnnotations.betaIsDefaultClass] === 'true';
  const age = ({ metadata }: StorageClass) => Date.parse(metadata.creationTimestamp ?? '') || 0;
  const order = (a: StorageClass, b: StorageClass) =>
    age(b) - age(a) || compareText(a.metadata.name ?? '', b.metadata.name ?? '');
  return classes.filter(isDefault).toSorted(order)[0];
}
