import type { Pod } from '@apichain/api/core/v1';
import type { ResourceReference, RestClient } from '@apichain/client';
import { type KubeObject, type LabelSelector, isStatusError } from '@apichain/meta';
import { controllerOf, controllerReference } from '../owners.ts';
import { podsResource } from './pod-control.ts';

/** A controller of pods, as `claimPods` needs it. */
export interface PodOwner {
  readonly client: RestClient;
  readonly owner: KubeObject;
  readonly resource: ResourceReference;
  readonly selector: LabelSelector;
  /** What a pod has as long as it has this owner. */
  readonly finalizers?: readonly string[];
}

/** What becomes of a pod that an owner controls, or that nobody controls. */
export function claimOf(
  { owner, selector }: Pick<PodOwner, 'owner' | 'selector'>,
  pod: Pod,
): 'keep' | 'release' | 'adopt' | 'ignore' {
  const matches = selector.matches(pod.metadata.labels);
  const controller = controllerOf(pod);
  const isOwnerGoing = owner.metadata.deletionTimestamp !== undefined;
  if (controller !== undefined) {
    if (controller.uid !== owner.metadata.uid) return 'ignore';
    if (matches) return 'keep';
    return isOwnerGoing ? 'ignore' : 'release';
  }
  return matches && !isOwnerGoing && pod.metadata.deletionTimestamp === undefined ? 'adopt' : 'ignore';
}

/**
 * The pods that belong to an owner. Those that match its selector and have no controller are adopted, those that match no longer are released.
 * https://kubernetes.io/docs/concepts/workloads/controllers/replicaset/#non-template-pod-acquisitions
 */
export async function claimPods(claimant: PodOwner, pods: readonly Pod[]): Promise<Pod[]> {
  const claimed: Pod[] = [];
  let mayAdopt: Promise<void> | undefined;
  for (const pod of pods) {
    const claim = claimOf(claimant, pod);
    if (claim === 'keep') claimed.push(pod);
    if (claim === 'release') await ignoringGone(release(claimant, pod));
    if (claim !== 'adopt') continue;
    await (mayAdopt ??= checkLive(claimant));
    const adopted = await ignoringGone(adopt(claimant, pod));
    if (adopted !== undefined) claimed.push(adopted);
  }
  return claimed;
}

/** The informer may not know yet that the owner is being deleted. */
async function checkLive({ client, owner, resource }: PodOwner): Promise<void> {
  const { namespace = '', name = '', uid } = owner.metadata;
  const live = await client.get({ ...resource, namespace }, name);
  if (live.metadata.uid !== uid) throw new Error(`original ${owner.kind} ${namespace}/${name} is gone`);
  const { deletionTimestamp } = live.metadata;
  if (deletionTimestamp !== undefined)
    throw new Error(`${namespace}/${name} has just been deleted at ${deletionTimestamp}`);
}

function adopt(claimant: PodOwner, pod: Pod): Promise<Pod> {
  const { uid } = pod.metadata;
  const { finalizers, owner } = claimant;
  const ownerReferences = [controllerReference(owner)];
  return patch(claimant, pod, { uid, ownerReferences, ...(finalizers !== undefined && { finalizers }) });
}

function release(claimant: PodOwner, pod: Pod): Promise<Pod> {
  const { uid } = pod.metadata;
  const { finalizers, owner } = claimant;
  return patch(claimant, pod, {
    uid,
    ownerReferences: [{ $patch: 'delete', uid: owner.metadata.uid }],
    ...(finalizers !== undefined && { '$deleteFromPrimitiveList/finalizers': finalizers }),
  });
}

const patch = (
  { client }: PodOwner,
  { metadata: { namespace = '', name = '' } }: Pod,
  metadata: object,
): Promise<Pod> => client.patch<Pod>({ ...podsResource, namespace }, name, 'strategic', { metadata });

/** A pod that is gone, or replaced by another of the same name, needs no change. */
async function ignoringGone(change: Promise<Pod>): Promise<Pod | undefined> {
  try {
    return await change;
  } catch (error) {
    if (isStatusError(error, 'NotFound') || isStatusError(error, 'Invalid')) return undefined;
    throw error;
  }
}
