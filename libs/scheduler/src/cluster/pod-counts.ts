import type { LabelSelector } from '@apichain/meta';
import type { NodeInfo } from './node-info.ts';
import type { PodInfo } from './pod-info.ts';

interface Count {
  readonly namespace: string;
  readonly selector: LabelSelector;
  /** By the name of the node. Nodes without such pods are absent. */
  readonly byNode: Map<string, number>;
}

/** More selectors than this are counted anew when they are needed again. */
const maxCounts = 512;

const none: ReadonlyMap<string, number> = new Map();

const isCounted = (pod: PodInfo, { namespace, selector }: Count) =>
  pod.namespace === namespace && !pod.isTerminating && selector.matches(pod.labels);

/**
 * How many pods of a namespace a selector selects, by node. The replicas of one workload ask for the same selector, so a count is kept up to date from
 * the first question on; otherwise each of them would look at all pods. Terminating pods do not count.
 */
export class PodCounts {
  /** The one that was asked for last is the last. */
  readonly #counts = new Map<string, Count>();

  /** The nodes are looked at only for a selector that was not asked for before. An empty selector counts nothing. */
  get(namespace: string, selector: LabelSelector, nodes: Iterable<readonly [string, NodeInfo]>): ReadonlyMap<string, number> {
    if (selector.requirements.length === 0) return none;
    const key = `${namespace}/${selector.toString()}`;
    let count = this.#counts.get(key);
    if (count === undefined) {
      count = { namespace, selector, byNode: new Map() };
      for (const [name, node] of nodes) for (const pod of node.pods.values()) change(count, pod, name, 1);
    }
    this.#counts.delete(key);
    this.#counts.set(key, count);
    const oldest = this.#counts.keys().next();
    if (this.#counts.size > maxCounts && oldest.done !== true) this.#counts.delete(oldest.value);
    return count.byNode;
  }

  /** Takes note that a pod has come to a node (1) or left it (-1). */
  update(pod: PodInfo, node: string, delta: 1 | -1): void {
    for (const count of this.#counts.values()) change(count, pod, node, delta);
  }
}

function change(count: Count, pod: PodInfo, node: string, delta: 1 | -1): void {
  if (!isCounted(pod, count)) return;
  const number = (count.byNode.get(node) ?? 0) + delta;
  if (number === 0) count.byNode.delete(node);
  else count.byNode.set(node, number);
}
