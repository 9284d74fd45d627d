import type { Pod } from '@apichain/api/core/v1';
import type { Nodes } from '../nodes/nodes.ts';

/** Tells those who follow a pod that it has changed or is gone. */
export class FollowedPods {
  readonly #followers = new Map<string, Set<() => void>>();

  constructor(nodes: Nodes) {
    nodes.onPodChange((pod: Pod) => {
      for (const changed of this.#followers.get(pod.metadata.uid ?? '') ?? []) changed();
    });
  }

  /** Calls `changed` after each change. Returns a function that ends it. */
  follow(uid: string, changed: () => void): () => void {
    const followers = this.#followers.get(uid) ?? new Set();
    this.#followers.set(uid, followers.add(changed));
    return () => {
      followers.delete(changed);
      if (followers.size === 0) this.#followers.delete(uid);
    };
  }
}
