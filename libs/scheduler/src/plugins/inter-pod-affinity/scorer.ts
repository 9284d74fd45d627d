import { type AffinityTerm, type AffinityTerms, termMatches } from '../../cluster/affinity-terms.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import type { NodeInfo } from '../../cluster/node-info.ts';
import type { PodInfo } from '../../cluster/pod-info.ts';
import { type Scorer, maxNodeScore } from '../../framework/plugin.ts';
import { selectedByAll, withNamespaces, TopologyCounts } from './topology-counts.ts';

/** What a required term of a pod that is there already counts, in favour of being with it. */
const hardPodAffinityWeight = 1;

/** Prefers domains by the preferred terms of the pod and of the pods that are there. Undefined if there are none that match. */
export function affinityScorer(pod: PodInfo, _: readonly NodeInfo[], cluster: Cluster): Scorer | undefined {
  const namespaceLabels = cluster.namespaceLabels(pod.namespace);
  const sums = new TopologyCounts();
  const keys = new Set<string>();
  const add = ({ topologyKey, weight }: AffinityTerm, byNode: ReadonlyMap<string, number>, sign: 1 | -1) => {
    if (byNode.size === 0) return;
    keys.add(topologyKey);
    sums.addAll(byNode, topologyKey, cluster, sign * (weight === 0 ? hardPodAffinityWeight : weight));
  };
  const addOwn = (terms: readonly AffinityTerm[], sign: 1 | -1) => {
    for (const term of withNamespaces(terms, cluster)) add(term, cluster.podCounts(selectedByAll([term])), sign);
  };
  const addPlaced = (kind: keyof AffinityTerms, sign: 1 | -1) => {
    for (const { term, byNode } of cluster.placedTerms(kind))
      if (termMatches(term, pod.pod, namespaceLabels)) add(term, byNode, sign);
  };
  addOwn(pod.terms.preferredAffinity, 1);
  addOwn(pod.terms.preferredAntiAffinity, -1);
  addPlaced('requiredAffinity', 1);
  addPlaced('preferredAffinity', 1);
  addPlaced('preferredAntiAffinity', -1);
  if (keys.size === 0) return undefined;
  return {
    score: (node) => {
      let sum = 0;
      for (const key of keys) sum += sums.get(node, key);
      return sum;
    },
    normalize,
  };
}

function normalize(scores: number[]): void {
  let min = Infinity;
  let max = -Infinity;
  for (const score of scores) {
    min = Math.min(min, score);
    max = Math.max(max, score);
  }
  for (const [index, score] of scores.entries())
    scores[index] = max > min ? Math.trunc(maxNodeScore * ((score - min) / (max - min))) : 0;
}
