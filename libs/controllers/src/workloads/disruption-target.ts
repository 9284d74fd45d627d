import type { Pod, PodCondition, PodStatus } from '@apichain/api/core/v1';
import type { RestClient } from '@apichain/client';
import { currentTimestamp, findCondition, integer } from '@apichain/meta';
import { pods } from '../resources.ts';

/** The condition of a pod that is about to be ended from outside. */
export const disruptionTarget = (reason: string, message: string): PodCondition => ({
  type: 'DisruptionTarget',
  status: 'True',
  reason,
  message,
});

/** Merges into the status of a pod. A pod that replaced it under its name is left alone. */
export async function patchPodStatus(client: RestClient, pod: Pod, status: PodStatus): Promise<Pod> {
  const { namespace = '', name = '', uid } = pod.metadata;
  const types = [...(pod.status?.conditions ?? []), ...(status.conditions ?? [])].map(({ type }) => type);
  // Without the order, new conditions come first.
  const order = { '$setElementOrder/conditions': [...new Set(types)].map((type) => ({ type })) };
  const patch = { metadata: { uid }, status: { ...(status.conditions !== undefined && order), ...status } };
  return client.patch<Pod>({ ...pods, namespace }, name, 'strategic', patch, { subresource: 'status' });
}

/** The condition as it is merged into the status of a pod, with the time if its status changes. Undefined if the pod has it already. */
export function conditionPatch({ metadata, status }: Pod, condition: PodCondition): PodCondition | undefined {
  const { type = '', reason, message } = condition;
  const known = findCondition(status?.conditions, type);
  const observedGeneration = integer(metadata.generation);
  const isSame =
    known?.status === condition.status &&
    known?.reason === reason &&
    known?.message === message &&
    integer(known?.observedGeneration) === observedGeneration;
  if (isSame) return undefined;
  const changes = known?.status !== condition.status;
  return {
    ...condition,
    ...(observedGeneration > 0 && { observedGeneration }),
    ...(changes && { lastTransitionTime: currentTimestamp() }),
  };
}
