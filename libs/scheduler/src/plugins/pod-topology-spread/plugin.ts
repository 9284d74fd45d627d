import type { Node, Pod } from '@apichain/api/core/v1';
import { deepEqual } from '@apichain/meta';
import type { Cluster } from '../../cluster/cluster.ts';
import type { PodInfo } from '../../cluster/pod-info.ts';
import { type Change, on } from '../../framework/cluster-event.ts';
import type { Plugin } from '../../framework/plugin.ts';
import { type SpreadConstraint, hasTopologies, spreadConstraints } from './constraints.ts';
import { SpreadFilter } from './filter.ts';
import { spreadScorer } from './scorer.ts';

/** Spreads pods over zones, nodes and other domains. https://kubernetes.io/docs/concepts/scheduling-eviction/topology-spread-constraints/ */
export const podTopologySpread: Plugin = {
  name: 'PodTopologySpread',
  events: [
    on('Pod', ['Add', 'Delete', 'UpdatePodLabel', 'UpdatePodToleration'], isWorthAfterPod),
    on('Node', ['Add', 'Delete', 'UpdateNodeLabel', 'UpdateNodeTaint'], isWorthAfterNode),
  ],
  preFilter: (pod, cluster) => SpreadFilter.for(pod, cluster),
  preScore: spreadScorer,
};

/** Whether a pod counts for the spreading of another one. */
function isInvolved({ metadata, spec, status }: Pod, pod: PodInfo): boolean {
  if (metadata.uid === pod.uid) return true;
  const hasNode = (spec?.nodeName ?? '') !== '' || (status?.nominatedNodeName ?? '') !== '';
  return hasNode && metadata.namespace === pod.namespace;
}

function isWorthAfterPod(pod: PodInfo, { before, after }: Change<Pod>, cluster: Cluster): boolean {
  if ([before, after].some((changed) => changed !== undefined && !isInvolved(changed, pod))) return false;
  const constraints = spreadConstraints(pod, 'DoNotSchedule', cluster);
  const isSelected = ({ selector }: SpreadConstraint, { metadata }: Pod) => selector.matches(metadata.labels);
  if (before === undefined || after === undefined) {
    const changed = before ?? after;
    return changed !== undefined && constraints.some((constraint) => isSelected(constraint, changed));
  }
  const hasNewToleration =
    after.metadata.uid === pod.uid && !deepEqual(before.spec?.tolerations, after.spec?.tolerations);
  if (hasNewToleration && constraints.some(({ honorsTaints }) => honorsTaints)) return true;
  return constraints.some((constraint) => isSelected(constraint, before) !== isSelected(constraint, after));
}

function isWorthAfterNode(pod: PodInfo, { before, after }: Change<Node>, cluster: Cluster): boolean {
  const constraints = spreadConstraints(pod, 'DoNotSchedule', cluster);
  const matches = (node: Node | undefined) => node !== undefined && hasTopologies(node, constraints);
  if (before === undefined || after === undefined) return matches(before ?? after);
  if (matches(before) !== matches(after)) return true;
  const isMoved = constraints.some(
    ({ topologyKey }) => before.metadata.labels?.[topologyKey] !== after.metadata.labels?.[topologyKey],
  );
  return matches(after) && (isMoved || !deepEqual(before.spec?.taints, after.spec?.taints));
}
