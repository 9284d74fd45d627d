import type { Pod, PodCondition } from '@apichain/api/core/v1';
import type { RestClient } from '@apichain/client';
import { currentTimestamp, findCondition, integer, isStatusError } from '@apichain/meta';

const pods = { group: '', version: 'v1', resource: 'pods' };

/** What the scheduler says about a pod in its status. */
export interface StatusChange {
  readonly condition?: Pick<PodCondition, 'type' | 'status' | 'reason' | 'message'>;
  /** The node for which the pod is nominated, '' for none. Undefined leaves it as it is. */
  readonly nominatedNodeName?: string;
}

/** The strategic merge patch that makes the change; undefined if the pod has that status already. */
export function statusPatch({ metadata, status }: Pod, change: StatusChange): { readonly status: unknown } | undefined {
  const { condition, nominatedNodeName } = change;
  const isNominated =
    nominatedNodeName === undefined || (status?.nominatedNodeName ?? '') === nominatedNodeName
      ? {}
      : { nominatedNodeName: nominatedNodeName === '' ? null : nominatedNodeName };
  const conditions =
    condition === undefined ? {} : conditionPatch(status?.conditions ?? [], condition, integer(metadata.generation));
  const patch = { ...isNominated, ...conditions };
  return Object.keys(patch).length === 0 ? undefined : { status: patch };
}

function conditionPatch(
  conditions: readonly PodCondition[],
  condition: NonNullable<StatusChange['condition']>,
  observedGeneration: number,
): object {
  const { type = '', status, reason, message } = condition;
  const old = findCondition(conditions, type);
  const isSame = old?.status === status;
  if (isSame && old?.reason === reason && old?.message === message) return {};
  const lastTransitionTime = isSame ? old?.lastTransitionTime : currentTimestamp();
  const order = conditions.map((other) => ({ type: other.type }));
  return {
    '$setElementOrder/conditions': old === undefined ? [...order, { type }] : order,
    conditions: [{ type, observedGeneration, status, lastProbeTime: null, lastTransitionTime, reason, message }],
  };
}

/** Changes the status of a pod, if it differs. A pod that does not exist any more is left alone. */
export async function patchStatus(client: RestClient, pod: Pod, change: StatusChange): Promise<void> {
  const patch = statusPatch(pod, change);
  if (patch === undefined) return;
  const { namespace = '', name = '' } = pod.metadata;
  try {
    await client.patch({ ...pods, namespace }, name, 'strategic', patch, { subresource: 'status' });
  } catch (error) {
    if (!isStatusError(error) || error.code !== 404) throw error;
  }
}
