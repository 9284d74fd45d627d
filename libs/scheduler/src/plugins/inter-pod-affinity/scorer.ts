import { type AffinityTerm, termMatches } from '../../cluster/affinity-terms.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import type { NodeInfo } from '../../cluster/node-info.ts';
import type { PodInfo } from '../../cluster/pod-info.ts';
import { type Scorer, maxNodeScore } from '../../framework/plugin.ts';
import { withNamespaces } from './terms.ts';
import { TopologyCounts } from './topology-counts.ts';

/** What a required term of a pod that is there already counts, in favour of being with it. */
const hardPodAffinityWeight = 1;

/** Prefers domains by the preferred terms of the pod and of the pods that are there. Undefined if there are none that match. */
export function affinityScorer(pod: PodInfo, _: readonly NodeInfo[], cluster: Cluster): Scorer | undefined {
  const affinity = withNamespaces(pod.terms.preferredAffinity, cluster);
  const antiAffinity = withNamespaces(pod.terms.preferredAntiAffinity, cluster);
  const hasPreferences = affinity.length > 0 || antiAffinity.length > 0;
  const namespaceLabels = cluster.namespaceLabels(pod.namespace);
  const sums = new TopologyCounts();
  const keys = new Set<string>();

  const count = (terms: readonly AffinityTerm[], selected: PodInfo, node: NodeInfo, sign: 1 | -1, own: boolean) => {
    for (const term of terms)
      if (termMatches(term, selected.pod, own ? undefined : namespaceLabels)) {
        sums.add(node, term.topologyKey, sign * (term.weight === 0 ? hardPodAffinityWeight : term.weight));
        keys.add(term.topologyKey);
      }
  };

  for (const node of hasPreferences ? cluster.nodes : cluster.nodesWithAffinity)
    for (const existing of (hasPreferences ? node.pods : node.podsWithAffinity).values()) {
      count(affinity, existing, node, 1, true);
      count(antiAffinity, existing, node, -1, true);
      if (!existing.hasAffinity) continue;
      count(existing.terms.requiredAffinity, pod, node, 1, false);
      count(existing.terms.preferredAffinity, pod, node, 1, false);
      count(existing.terms.preferredAntiAffinity, pod, node, -1, false);
    }
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
