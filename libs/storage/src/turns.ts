/** Nobody waits longer than this for its turn, in milliseconds: whoever is before may itself wait for a write of this one. */
const longestWait = 5_000;

/** A turn that was taken; `waited` tells whether others had theirs in the meantime. */
export interface Turn {
  readonly waited: boolean;
  end(): void;
}

/**
 * Lets writers that met on one key go one after the other. Without it, n writers of one object need n²/2 attempts; with it,
 * n. Only an optimisation: what makes a write safe is etcd's comparison, so that a turn may be left out or cut short.
 */
export class Turns {
  readonly #last = new Map<string, Promise<void>>();

  /** Waits until the turns taken before on this key have ended. */
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
