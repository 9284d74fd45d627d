import type { Cluster } from '../../cluster/cluster.ts';
import type { NodeInfo } from '../../cluster/node-info.ts';
import type { PodInfo } from '../../cluster/pod-info.ts';
import { type Scorer, maxNodeScore } from '../../framework/plugin.ts';
import {
  type SpreadConstraint,
  countedPods,
  hasOwnConstraints,
  hasTopologies,
  isIncluded,
  spreadConstraints,
} from './constraints.ts';

const hostname = 'kubernetes.io/hostname';

/** The matching pods of one constraint by domain. For host names, the domains are the nodes. */
interface Spread {
  readonly constraint: SpreadConstraint;
  readonly counts: ReadonlyMap<string, number>;
  /** Many domains have few pods each, so their counts weigh more. */
  readonly weight: number;
}

/** Prefers nodes in domains with fewer matching pods. Undefined for a pod without such constraints. */
export function spreadScorer(pod: PodInfo, nodes: readonly NodeInfo[], cluster: Cluster): Scorer | undefined {
  const constraints = spreadConstraints(pod, 'ScheduleAnyway', cluster);
  if (constraints.length === 0) return undefined;
  const needsAllLabels = hasOwnConstraints(pod);
  const isIgnored = ({ node }: NodeInfo) => needsAllLabels && !hasTopologies(node, constraints);
  const considered = nodes.filter((node) => !isIgnored(node));
  const spreads = constraints.map((constraint): Spread => {
    const counts = cluster.podCounts(countedPods(constraint, pod));
    if (constraint.topologyKey === hostname) return { constraint, counts, weight: weightOf(considered.length) };
    const domains = new Map(considered.map(({ labels }) => [labels[constraint.topologyKey] ?? '', 0]));
    for (const [name, count] of counts) {
      const node = cluster.node(name);
      if (node === undefined || isIgnored(node) || !isIncluded(constraint, pod, node.node)) continue;
      const domain = node.labels[constraint.topologyKey] ?? '';
      const sum = domains.get(domain);
      if (sum !== undefined) domains.set(domain, sum + count);
    }
    return { constraint, counts: domains, weight: weightOf(domains.size) };
  });
  return {
    score: (node) =>
      isIgnored(node) ? 0 : Math.round(spreads.reduce((sum, spread) => sum + spreadScore(spread, node), 0)),
    normalize: (scores) => normalize(scores, nodes.map(isIgnored)),
  };
}

const weightOf = (domains: number) => Math.log(domains + 2);

function spreadScore({ constraint, counts, weight }: Spread, { name, labels }: NodeInfo): number {
  const domain = labels[constraint.topologyKey];
  if (domain === undefined) return 0;
  const count = counts.get(constraint.topologyKey === hostname ? name : domain) ?? 0;
  return count * weight + (constraint.maxSkew - 1);
}

/** The fewer pods, the better; ignored nodes come last. */
function normalize(scores: number[], ignored: readonly boolean[]): void {
  let min = Infinity;
  let max = 0;
  for (let index = 0; index < scores.length; index++) {
    if (ignored[index] === true) continue;
    min = Math.min(min, scores[index] ?? 0);
    max = Math.max(max, scores[index] ?? 0);
  }
  for (let index = 0; index < scores.length; index++) {
    const scaled = max === 0 ? maxNodeScore : Math.trunc((maxNodeScore * (max + min - (scores[index] ?? 0))) / max);
    scores[index] = ignored[index] === true ? 0 : scaled;
  }
}
