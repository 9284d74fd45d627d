import type { Cluster } from '../cluster/cluster.ts';
import type { PodInfo } from '../cluster/pod-info.ts';
import { type Plugin, isRejection } from '../framework/plugin.ts';

/** The reasons of a plugin's rejection of each node; the letters U and X before them are for what preemption may resolve, and what not. */
export function rejectionsOf(plugin: Plugin, pod: PodInfo, cluster: Cluster): Readonly<Record<string, string>> {
  const result = plugin.preFilter?.(pod, cluster);
  const text = (rejection: { code: string; reasons: readonly string[] } | undefined) =>
    rejection === undefined ? '' : `${rejection.code === 'Unschedulable' ? 'U' : 'X'} ${rejection.reasons.join(', ')}`;
  return Object.fromEntries(
    cluster.nodes.map((node) => [
      node.name,
      result === undefined ? '' : text(isRejection(result) ? result : result.filter?.(node)),
    ]),
  );
}

/** The scores that a plugin gives the nodes; undefined if it does not distinguish them. */
export function scoresOf(plugin: Plugin, pod: PodInfo, cluster: Cluster): Readonly<Record<string, number>> | undefined {
  const { nodes } = cluster;
  const scorer = plugin.preScore?.(pod, nodes, cluster);
  if (scorer === undefined) return undefined;
  const scores = nodes.map((node) => scorer.score(node));
  scorer.normalize?.(scores);
  return Object.fromEntries(nodes.map(({ name }, index) => [name, scores[index] ?? -1]));
}
