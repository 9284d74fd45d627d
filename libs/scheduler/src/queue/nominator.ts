import type { NominatedPods } from '../framework/filters.ts';
import type { PodInfo } from '../cluster/pod-info.ts';

/** The pods for which other pods are being removed from a node, by node. The node is not theirs yet; others of lower priority leave it to them. */
export class Nominator implements NominatedPods {
  readonly #nodes = new Map<string, Map<string, PodInfo>>();
  readonly #nodeOf = new Map<string, string>();

  /** Nominates a pod for a node, or for none. */
  set(pod: PodInfo, node: string): void {
    this.delete(pod.uid);
    if (node === '') return;
    this.#nodeOf.set(pod.uid, node);
    let pods = this.#nodes.get(node);
    if (pods === undefined) this.#nodes.set(node, (pods = new Map<string, PodInfo>()));
    pods.set(pod.uid, pod);
  }

  /** Takes note of a new state of the pod. A nomination that is not written yet stays. */
  update(before: PodInfo, after: PodInfo): void {
    const pending =
      before.nominatedNodeName === '' && after.nominatedNodeName === '' ? this.#nodeOf.get(after.uid) : undefined;
    this.set(after, pending ?? after.nominatedNodeName);
  }

  delete(uid: string): void {
    const node = this.#nodeOf.get(uid);
    if (node === undefined) return;
    this.#nodeOf.delete(uid);
    const pods = this.#nodes.get(node);
    pods?.delete(uid);
    if (pods?.size === 0) this.#nodes.delete(node);
  }

  forNode(node: string): readonly PodInfo[] {
    const pods = this.#nodes.get(node);
    return pods === undefined ? none : [...pods.values()];
  }
}

const none: readonly PodInfo[] = [];
