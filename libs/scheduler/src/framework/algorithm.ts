import { random } from '@apichain/meta';
import type { Cluster } from '../cluster/cluster.ts';
import type { NodeInfo } from '../cluster/node-info.ts';
import type { PodInfo } from '../cluster/pod-info.ts';
import { Filters, type NominatedPods } from './filters.ts';
import { type Diagnosis, unmentioned } from './fit-error.ts';
import type { Plugin, Scorer } from './plugin.ts';
import type { Profile } from './profile.ts';
import type { PluginRejection } from './status.ts';

/** The node for a pod, or why there is none. */
export type Decision =
  | { readonly node: string; readonly filters: Filters }
  | {
      readonly diagnosis: Diagnosis;
      /** Undefined if the pod was rejected before nodes were looked at. */
      readonly filters: Filters | undefined;
      readonly rejection?: PluginRejection;
    };

/** With fewer nodes than this, all are looked at. */
const minNodes = 100;
const minPercentage = 5;

/** After how many nodes that fit the search ends: all of up to a hundred, then a share that falls from half to a twentieth. */
export function enoughNodes(allNodes: number): number {
  if (allNodes < minNodes) return allNodes;
  const percentage = Math.max(minPercentage, 50 - Math.trunc(allNodes / 125));
  return Math.max(minNodes, Math.trunc((allNodes * percentage) / 100));
}

/** Chooses nodes for pods. A call runs without interruption. */
export class SchedulingAlgorithm {
  readonly #profile: Profile;
  readonly #cluster: Cluster;
  readonly #nominated: NominatedPods;
  /** Where the next search begins, so that all nodes are considered although searches end early. */
  #nextStart = 0;

  constructor(profile: Profile, cluster: Cluster, nominated: NominatedPods) {
    this.#profile = profile;
    this.#cluster = cluster;
    this.#nominated = nominated;
  }

  /** Chooses a node for a pod. There must be nodes. Throws Error when a plugin fails. */
  decide(pod: PodInfo): Decision {
    const filters = Filters.prepare(this.#profile.plugins, pod, this.#cluster);
    if (!(filters instanceof Filters))
      return { diagnosis: this.#rejectedEverywhere(filters), filters: undefined, rejection: filters };
    const nominated = this.#cluster.node(pod.nominatedNodeName);
    if (nominated !== undefined && filters.checkWithNominated(pod, nominated, this.#nominated) === undefined)
      return { node: nominated.name, filters };
    const { fitting, diagnosis } = this.#findNodes(pod, filters);
    const [first] = fitting;
    if (first === undefined) return { diagnosis, filters };
    return { node: fitting.length === 1 ? first.name : this.#best(pod, fitting).name, filters };
  }

  #rejectedEverywhere(rejection: PluginRejection): Diagnosis {
    return {
      allNodes: this.#cluster.nodes.length,
      rejections: new Map(),
      others: rejection,
      preFilterMessage: rejection.reasons.join(', '),
      plugins: new Set([rejection.plugin]),
    };
  }

  #findNodes(pod: PodInfo, filters: Filters): { readonly fitting: readonly NodeInfo[]; readonly diagnosis: Diagnosis } {
    const { nodes: all } = this.#cluster;
    const { nodeNames } = filters;
    const nodes =
      nodeNames === undefined ? all : [...nodeNames.names].flatMap((name) => this.#cluster.node(name) ?? []);
    const enough = enoughNodes(nodes.length);
    const fitting: NodeInfo[] = [];
    const rejections = new Map<string, PluginRejection>();
    const { length } = nodes;
    for (let looked = 0, at = this.#nextStart; looked < length && fitting.length < enough; looked++, at++) {
      const node = nodes[at % length];
      if (node === undefined) continue;
      const rejection = filters.checkWithNominated(pod, node, this.#nominated);
      if (rejection === undefined) fitting.push(node);
      else rejections.set(node.name, rejection);
    }
    this.#nextStart = (this.#nextStart + fitting.length + rejections.size) % all.length;
    const plugins = new Set([...rejections.values()].map(({ plugin }) => plugin));
    for (const plugin of nodeNames?.plugins ?? []) plugins.add(plugin);
    const others =
      nodeNames === undefined
        ? unmentioned
        : { ...unmentioned, reasons: [`node(s) didn't satisfy plugin(s) [${nodeNames.plugins.join(' ')}]`] };
    return { fitting, diagnosis: { allNodes: all.length, rejections, others, preFilterMessage: '', plugins } };
  }

  /** One of the nodes with the highest sum of weighted scores. */
  #best(pod: PodInfo, nodes: readonly NodeInfo[]): NodeInfo {
    const totals = totalScores(this.#profile, pod, nodes, this.#cluster);
    let max = -Infinity;
    for (const total of totals) if (total > max) max = total;
    const best = nodes.filter((_, index) => totals[index] === max);
    const [first] = best;
    if (first === undefined) throw new Error('no node has a score');
    return best.length === 1 ? first : (best[Math.floor(random() * best.length)] ?? first);
  }
}

/** The sum of the weighted scores of each node. Throws Error when a plugin fails. */
export function totalScores(
  { plugins, weights }: Profile,
  pod: PodInfo,
  nodes: readonly NodeInfo[],
  cluster: Cluster,
): readonly number[] {
  const totals = nodes.map(() => 0);
  for (const plugin of plugins) {
    const scorer = plugin.preScore?.(pod, nodes, cluster);
    if (scorer === undefined) continue;
    const scores = scoresOf(plugin, scorer, nodes);
    const weight = weights[plugin.name] ?? 1;
    // Hundreds of nodes for each pod: an iterator would make an array for each of them.
    for (let index = 0; index < scores.length; index++)
      totals[index] = (totals[index] ?? 0) + weight * (scores[index] ?? 0);
  }
  return totals;
}

function scoresOf({ name }: Plugin, scorer: Scorer, nodes: readonly NodeInfo[]): readonly number[] {
  const scores = nodes.map((node) => scorer.score(node));
  scorer.normalize?.(scores);
  const wrong = scores.find((score) => !(score >= 0 && score <= 100));
  if (wrong !== undefined)
    throw new Error(
      `applying score defaultWeights on Score plugins: plugin "${name}" returns an invalid score ${wrong}, it should in the range of [0, 100] after normalizing`,
    );
  return scores;
}
