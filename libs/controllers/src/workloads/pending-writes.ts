import { type Following, hasReached, objectKey, resourceVersionOf } from '@apichain/client';
import type { KubeObject } from '@apichain/meta';

/**
 * The last writes for each owner, by its key, until the informers show them. A controller whose decisions depend on all its objects waits for them:
 * a decision by an older state would be repeated or contradict the last one. Source: k8s.io/kubernetes/pkg/controller/util/consistency.
 */
export class PendingWrites {
  readonly #awaited = new Map<string, Map<Following, bigint>>();

  /** An object of the resource that the informer follows was written. */
  wrote(owner: KubeObject, informer: Following, written: KubeObject): void {
    const key = objectKey(owner);
    const awaited = this.#awaited.get(key) ?? new Map<Following, bigint>();
    awaited.set(informer, resourceVersionOf(written));
    this.#awaited.set(key, awaited);
  }

  /** Whether the informers show all writes for an owner. */
  areObserved(key: string): boolean {
    const awaited = this.#awaited.get(key);
    if (awaited === undefined) return true;
    for (const [informer, resourceVersion] of awaited) if (!hasReached(informer, resourceVersion)) return false;
    this.#awaited.delete(key);
    return true;
  }

  /** The owner is gone. */
  forget(key: string): void {
    this.#awaited.delete(key);
  }
}
