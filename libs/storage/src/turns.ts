/** The longest time that a writer waits for its turn, in milliseconds. The writer before it may itself be waiting for a write of this one. */
const longestWait = 5_000;

/** A turn on a key; `waited` tells whether it came after another turn. */
export interface Turn {
  readonly waited: boolean;
  end(): void;
}

/**
 * Orders the writers that conflict on a key, so that they write one after the other. Without turns, n writers of one object need n²/2 attempts; with
 * turns, n. This is only an optimization: the comparison in etcd makes writes safe, so a turn may be skipped or cut short.
 */
export class Turns {
  readonly #last = new Map<string, Promise<void>>();

  /** Waits until the turns taken earlier on this key have ended. */
  async take(key: string): Promise<Turn> {
    const before = this.#last.get(key);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last.set(key, promise);
    if (before !== undefined) await endOf(before);
    return {
      waited: before !== undefined,
      end: () => {
        if (this.#last.get(key) === promise) this.#last.delete(key);
        resolve();
      },
    };
  }
}

function endOf(turn: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, longestWait);
    void turn.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
