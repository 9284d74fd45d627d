import type { Node, Pod } from '@apichain/api/core/v1';
import { deepEqual } from '@apichain/meta';
import { podRequests } from '../cluster/pod-requests.ts';
import { type Action, type ClusterEvent, clusterEvent } from '../framework/cluster-event.ts';

/** Whether the pod asks for less of something than before. */
function isScaledDown(before: Pod, after: Pod): boolean {
  if (before.spec === after.spec && before.status === after.status) return false;
  const requests = podRequests(after, { useStatus: true });
  for (const [name, amount] of podRequests(before, { useStatus: true }))
    if (!requests.has(name) || amount > (requests.get(name) ?? 0)) return true;
  return false;
}

const podActions: readonly (readonly [Action, (before: Pod, after: Pod) => boolean])[] = [
  ['UpdatePodLabel', (before, after) => !deepEqual(before.metadata.labels, after.metadata.labels)],
  ['UpdatePodScaleDown', isScaledDown],
  [
    'UpdatePodSchedulingGatesEliminated',
    ({ spec: before }, { spec: after }) =>
      (after?.schedulingGates ?? []).length === 0 && (before?.schedulingGates ?? []).length > 0,
  ],
  [
    'UpdatePodToleration',
    ({ spec: before }, { spec: after }) => (before?.tolerations ?? []).length !== (after?.tolerations ?? []).length,
  ],
  [
    'UpdatePodGeneratedResourceClaim',
    ({ status: before }, { status: after }) => !deepEqual(before?.resourceClaimStatuses, after?.resourceClaimStatuses),
  ],
];

/** What an update of a pod changes about scheduling. Another change is an `Update`. */
export function podChanges(before: Pod, after: Pod): readonly ClusterEvent[] {
  const actions = podActions.filter(([, has]) => has(before, after)).map(([action]) => action);
  return (actions.length === 0 ? (['Update'] as const) : actions).map((action) =>
    clusterEvent('Pod', action, { before, after }),
  );
}

const conditionsOf = ({ status }: Node) =>
  Object.fromEntries((status?.conditions ?? []).map(({ type = '', status: is }) => [type, is]));

const nodeActions: readonly (readonly [Action, (before: Node, after: Node) => boolean])[] = [
  [
    'UpdateNodeTaint',
    ({ spec: before }, { spec: after }) => before?.unschedulable === true && after?.unschedulable !== true,
  ],
  ['UpdateNodeAllocatable', (before, after) => !deepEqual(before.status?.allocatable, after.status?.allocatable)],
  ['UpdateNodeLabel', (before, after) => !deepEqual(before.metadata.labels, after.metadata.labels)],
  ['UpdateNodeTaint', (before, after) => !deepEqual(before.spec?.taints, after.spec?.taints)],
  ['UpdateNodeCondition', (before, after) => !deepEqual(conditionsOf(before), conditionsOf(after))],
  ['UpdateNodeAnnotation', (before, after) => !deepEqual(before.metadata.annotations, after.metadata.annotations)],
  [
    'UpdateNodeDeclaredFeature',
    (before, after) => !deepEqual(before.status?.declaredFeatures, after.status?.declaredFeatures),
  ],
];

/** What an update of a node changes about scheduling; nothing if it only says that the node is alive. */
export const nodeChanges = (before: Node, after: Node): readonly ClusterEvent[] =>
  nodeActions
    .filter(([, has]) => has(before, after))
    .map(([action]) => clusterEvent('Node', action, { before, after }));
