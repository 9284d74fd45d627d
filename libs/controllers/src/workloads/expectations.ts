import { currentTime } from '@apichain/meta';

interface Expected {
  creations: number;
  readonly deletions: Set<string>;
  readonly since: number;
}

/** Changes that the informer does not show after this time are no longer waited for. */
const timeoutMs = 5 * 60_000;

/**
 * The creations and deletions of dependents that an informer is yet to show, by the key of their owner. A controller that acts only when there are none
 * creates nothing twice. Source: ControllerExpectations in k8s.io/kubernetes/pkg/controller/controller_utils.go.
 */
export class Expectations {
  readonly #expected = new Map<string, Expected>();

  /** Replaces the expectations of an owner. `deletions` are uids. */
  expect(key: string, creations: number, deletions: Iterable<string>): void {
    this.#expected.set(key, { creations, deletions: new Set(deletions), since: currentTime() });
  }

  /** Creations were observed, or will not happen. */
  creationObserved(key: string, count = 1): void {
    const expected = this.#expected.get(key);
    if (expected !== undefined) expected.creations -= count;
  }

  /** A deletion was observed, or will not happen. */
  deletionObserved(key: string, uid: string): void {
    this.#expected.get(key)?.deletions.delete(uid);
  }

  /** The owner is gone. */
  forget(key: string): void {
    this.#expected.delete(key);
  }

  /** For how many milliseconds at most the owner has to wait for its expectations: 0 if they are met. */
  pendingMs(key: string): number {
    const expected = this.#expected.get(key);
    if (expected === undefined || (expected.creations <= 0 && expected.deletions.size === 0)) return 0;
    return Math.max(0, expected.since + timeoutMs - currentTime());
  }
}
