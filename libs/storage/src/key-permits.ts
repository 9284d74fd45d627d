/** The longest time that a writer waits for its permit, in milliseconds. The writer before it may itself be waiting for a write of this one. */
const longestWait = 5_000;

/** The permit to write a key; `waited` tells whether it came after another permit. */
export interface KeyPermit {
  readonly waited: boolean;
  release(): void;
}

/**
 * Orders the writers that conflict on a key, so that they write one after the other. Without permits, n writers of one object need n²/2 attempts; with
 * permits, n. This is only an optimization: the comparison in etcd makes writes safe, so a permit may be skipped or cut short.
 */
export class KeyPermits {
  readonly #last = new Map<string, Promise<void>>();

  /** Waits until the permits acquired earlier for this key have been released. */
  async acquire(key: string): Promise<KeyPermit> {
    const before = this.#last.get(key);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last.set(key, promise);
    if (before !== undefined) await releaseOf(before);
    return {
      waited: before !== undefined,
      release: () => {
        if (this.#last.get(key) === promise) this.#last.delete(key);
        resolve();
      },
    };
  }
}

function releaseOf(released: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, longestWait);
    void released.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
