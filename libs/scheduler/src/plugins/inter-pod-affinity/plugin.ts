import type { Node, Pod } from '@apichain/api/core/v1';
import { affinityTermsOf, allTermsMatch } from '../../cluster/affinity-terms.ts';
import type { PodInfo } from '../../cluster/pod-info.ts';
import { type Change, on } from '../../framework/cluster-event.ts';
import type { Plugin } from '../../framework/plugin.ts';
import { AffinityFilter } from './filter.ts';
import { affinityScorer } from './scorer.ts';

/** Places pods with others or apart from them. https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#inter-pod-affinity-and-anti-affinity */
export const interPodAffinity: Plugin = {
  name: 'InterPodAffinity',
  events: [
    on('Pod', ['Add', 'Delete', 'UpdatePodLabel'], isWorthAfterPod),
    on('Node', ['Add', 'UpdateNodeLabel'], isWorthAfterNode),
  ],
  preFilter: (pod, cluster) => AffinityFilter.for(pod, cluster),
  preScore: affinityScorer,
};

const hasNode = ({ spec, status }: Pod) => (spec?.nodeName ?? '') !== '' || (status?.nominatedNodeName ?? '') !== '';

function isWorthAfterPod(pod: PodInfo, { before, after }: Change<Pod>): boolean {
  if (before !== undefined && after?.metadata.uid === pod.uid) return true;
  if ([before, after].some((changed) => changed !== undefined && !hasNode(changed))) return false;
  const { requiredAffinity, requiredAntiAffinity } = pod.terms;
  if (before !== undefined && after !== undefined)
    return (
      (!allTermsMatch(requiredAffinity, before) && allTermsMatch(requiredAffinity, after)) ||
      (allTermsMatch(requiredAntiAffinity, before) && !allTermsMatch(requiredAntiAffinity, after))
    );
  if (after !== undefined) return allTermsMatch(requiredAffinity, after);
  return (
    before !== undefined &&
    (allTermsMatch(requiredAntiAffinity, before) ||
      allTermsMatch(affinityTermsOf(before).requiredAntiAffinity, pod.pod))
  );
}

function isWorthAfterNode({ terms }: PodInfo, { before, after }: Change<Node>): boolean {
  const value = (node: Node | undefined, key: string) => node?.metadata.labels?.[key];
  const joinsDomain = terms.requiredAffinity.some(({ topologyKey: key }) => {
    const is = value(after, key);
    return is !== undefined && (before === undefined || is !== value(before, key));
  });
  const leavesDomain = terms.requiredAntiAffinity.some(({ topologyKey: key }) => {
    if (before === undefined) return true;
    const was = value(before, key);
    return was !== undefined && was !== value(after, key);
  });
  return joinsDomain || leavesDomain;
}
