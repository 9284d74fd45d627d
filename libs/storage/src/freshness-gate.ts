interface Waiter {
  readonly revision: number;
  readonly resolve: (reached: boolean) => void;
  readonly timer: NodeJS.Timeout;
}

/** While readers wait, progress is asked for again after this many milliseconds. */
const progressPeriod = 100;
/** The least time between two requests for progress, in milliseconds. */
const minProgressGap = 5;

/** Readers that wait for a cache to reach a revision; while there are any, it keeps asking etcd for progress. */
export class FreshnessGate {
  readonly #waiters = new Set<Waiter>();
  readonly #requestProgress: () => void;
  #progressTimer: NodeJS.Timeout | undefined;
  #lastRequest = 0;
  #isClosed = false;

  constructor(requestProgress: () => void) {
    this.#requestProgress = requestProgress;
  }

  /** Resolves true when `reached` was called with at least `revision`, false after `timeout` milliseconds or when it is closed. */
  wait(revision: number, timeout: number): Promise<boolean> {
    if (this.#isClosed) return Promise.resolve(false);
    return new Promise((resolve) => {
      const waiter: Waiter = {
        revision,
        resolve,
        timer: setTimeout(() => {
          this.#waiters.delete(waiter);
          resolve(false);
        }, timeout),
      };
      this.#waiters.add(waiter);
      this.#ask(Math.max(0, this.#lastRequest + minProgressGap - Date.now()));
    });
  }

  reached(revision: number): void {
    if (this.#waiters.size === 0) return;
    for (const waiter of this.#waiters) {
      if (waiter.revision > revision) continue;
      this.#waiters.delete(waiter);
      clearTimeout(waiter.timer);
      waiter.resolve(true);
    }
    if (this.#waiters.size === 0) this.#stopAsking();
  }

  /** Lets everyone go on without the revision, those to come too: nothing will be reached any more. */
  close(): void {
    this.#isClosed = true;
    this.#stopAsking();
    for (const waiter of this.#waiters) {
      clearTimeout(waiter.timer);
      waiter.resolve(false);
    }
    this.#waiters.clear();
  }

  #ask(delay: number): void {
    this.#stopAsking();
    if (delay > 0) {
      this.#progressTimer = setTimeout(() => {
        this.#ask(0);
      }, delay);
      return;
    }
    this.#lastRequest = Date.now();
    this.#requestProgress();
    this.#progressTimer = setTimeout(() => {
      if (this.#waiters.size > 0) this.#ask(0);
    }, progressPeriod);
  }

  #stopAsking(): void {
    clearTimeout(this.#progressTimer);
    this.#progressTimer = undefined;
  }
}
