import { currentTime } from '@apichain/meta';

/** Pods that are not observed after this time will not be. */
const patienceMs = 300_000;

/** How many pods that a controller has created its informer has not shown yet, by the key of their owner. */
export class ExpectedPods {
  readonly #expected = new Map<string, { readonly count: number; readonly since: number }>();

  /** Before `count` pods are created. */
  expect(key: string, count: number): void {
    if (count > 0) this.#expected.set(key, { count, since: currentTime() });
  }

  /** When the informer shows a pod, or a creation has failed. */
  observed(key: string, count = 1): void {
    const expected = this.#expected.get(key);
    if (expected === undefined) return;
    if (expected.count > count) this.#expected.set(key, { ...expected, count: expected.count - count });
    else this.#expected.delete(key);
  }

  /** Whether the informer shows all pods that were created. */
  isComplete(key: string): boolean {
    const expected = this.#expected.get(key);
    return expected === undefined || currentTime() - expected.since > patienceMs;
  }

  forget(key: string): void {
    this.#expected.delete(key);
  }
}
