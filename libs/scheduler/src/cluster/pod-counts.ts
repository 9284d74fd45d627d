import type { NodeInfo } from './node-info.ts';
import type { PodInfo } from './pod-info.ts';

/** Which pods are counted. */
export interface PodSelection {
  /** Equal selections have equal keys. */
  readonly key: string;
  includes(pod: PodInfo): boolean;
}

interface Count {
  readonly selection: PodSelection;
  /** By the name of the node. Nodes without such pods are absent. */
  readonly byNode: Map<string, number>;
}

/** More selections than this are counted anew when they are needed again. */
const maxCounts = 512;

/**
 * How many selected pods there are, by node. The replicas of one workload ask for the same selection, so a count is kept up to date from the first
 * question on; otherwise each of them would look at all pods.
 */
export class PodCounts {
  /** The one that was asked for last is the last. */
  readonly #counts = new Map<string, Count>();

  /** The nodes are looked at only for a selection that was not asked for before. */
  get(selection: PodSelection, nodes: Iterable<readonly [string, NodeInfo]>): ReadonlyMap<string, number> {
    const { key } = selection;
    let count = this.#counts.get(key);
    if (count === undefined) {
      count = { selection, byNode: new Map() };
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

function change({ selection, byNode }: Count, pod: PodInfo, node: string, delta: 1 | -1): void {
  if (!selection.includes(pod)) return;
  const number = (byNode.get(node) ?? 0) + delta;
  if (number === 0) byNode.delete(node);
  else byNode.set(node, number);
}
