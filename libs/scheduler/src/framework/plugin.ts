import type { NodeInfo } from '../cluster/node-info.ts';
import type { PodInfo } from '../cluster/pod-info.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { EventRegistration } from './cluster-event.ts';
import type { Rejection } from './status.ts';

/** What a plugin has found out about a pod before nodes are filtered. Without `filter` it rejects no node. */
export interface Filter {
  /** The only nodes that come into question. */
  readonly nodeNames?: ReadonlySet<string>;
  /** Why the pod does not fit the node; undefined if it fits. */
  filter?(node: NodeInfo): Rejection | undefined;
  /** Takes into account that a pod is added to the node (1) or removed from it (-1). For simulations only, on a clone. */
  update?(pod: PodInfo, node: NodeInfo, delta: 1 | -1): void;
  /** A copy that can be updated. A filter without it does not depend on other pods. */
  clone?(): Filter;
  /** Claims what the pod needs on the node. Throws Error if that fails. */
  reserve?(nodeName: string): Reservation | undefined;
}

/** What is claimed for a pod whose binding is in progress. */
export interface Reservation {
  /** The plugin that claims it. */
  readonly plugin: string;
  /** Gives up the claim, because the pod is not bound. */
  release(): void;
  /** Writes what must be written before the pod is bound. */
  write(): Promise<void>;
  /** Resolves once the writes have had their effect, after which the pod may be bound. Rejects if they will not. */
  settled(signal: AbortSignal): Promise<void>;
}

/** Scores of the nodes for one pod; the higher the better. */
export interface Scorer {
  score(node: NodeInfo): number;
  /** Brings the scores, in place, into the range of 0 to 100. Without it they are in that range. */
  normalize?(scores: number[]): void;
}

/**
 * A plugin of the scheduling framework. It decides by the pod and the cluster alone, and changes neither.
 * https://kubernetes.io/docs/reference/scheduling/config/#scheduling-plugins
 */
export interface Plugin {
  readonly name: string;
  /** The changes that may make a pod schedulable that the plugin rejected. */
  readonly events?: readonly EventRegistration[];
  /** Keeps a pod out of the queue of those that are tried. */
  readonly preEnqueue?: (pod: PodInfo, cluster: Cluster) => Rejection | undefined;
  /** Called once in a scheduling attempt. Returns undefined if the plugin has nothing to say about the pod. */
  readonly preFilter?: (pod: PodInfo, cluster: Cluster) => Filter | Rejection | undefined;
  /** Called once for the nodes that fit. Returns undefined if the plugin does not distinguish them. */
  readonly preScore?: (pod: PodInfo, nodes: readonly NodeInfo[], cluster: Cluster) => Scorer | undefined;
}

/** Whether the result of `preFilter` rejects the pod on all nodes. */
export const isRejection = (result: Filter | Rejection): result is Rejection => 'code' in result;

/** The highest score of a node. */
export const maxNodeScore = 100;

/** Scales scores from 0..max to 0..100; `reverse` makes the lowest the best. */
export function normalizeScores(scores: number[], reverse = false): void {
  let max = 0;
  for (const score of scores) if (score > max) max = score;
  if (max === 0) {
    if (reverse) scores.fill(maxNodeScore);
    return;
  }
  for (let index = 0; index < scores.length; index++) {
    const scaled = Math.trunc((maxNodeScore * (scores[index] ?? 0)) / max);
    scores[index] = reverse ? maxNodeScore - scaled : scaled;
  }
}
