interface Waiter {
  readonly revision: number;
  readonly resolve: (reached: boolean) => void;
  readonly timer: NodeJS.Timeout;
}

/** How often progress is requested again while readers wait, in milliseconds. */
const progressPeriod = 100;
/** The minimum time between two progress requests, in milliseconds. */
const minProgressGap = 5;

/** Holds the readers that wait for a cache to reach a revision. While there are any, progress is requested from etcd repeatedly. */
export class FreshnessGate {
  readonly #waiters = new Set<Waiter>();
  readonly #requestProgress: () => void;
  #progressTimer: NodeJS.Timeout | undefined;
  #lastRequest = 0;
  #isClosed = false;

  constructor(requestProgress: () => void) {
    this.#requestProgress = requestProgress;
  }

  /** Resolves true when `reached` was called with at least `revision`, false after `timeout` milliseconds or when the gate is closed. */
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
      this.#ask(Math.max(0, this.#lastRequest + minProgressGap - performance.now()));
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

  /** Resolves all waiting and future readers with false: no further revision will be reached. */
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
    this.#lastRequest = performance.now();
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
