export interface DeliveryClock {
  /** Milliseconds of a monotonic clock. */
  now(): number;
  /** Runs `work` after `milliseconds`; 0 = before any other task of the event loop. */
  after(milliseconds: number, work: () => void): void;
  /** Runs `work` when all work started so far is done. */
  whenIdle(work: () => void): void;
}

const eventLoop: DeliveryClock = {
  now: () => performance.now(),
  after: (milliseconds, work) => {
    // The timer must not keep an otherwise idle process alive.
    if (milliseconds > 0) setTimeout(work, milliseconds).unref();
    else queueMicrotask(work);
  },
  whenIdle: (work) => {
    // The first turn is used by connections that batch their writes until then.
    setImmediate(() => setImmediate(work));
  },
};

/** A round shorter than this needs no pause, in milliseconds. */
const freeRound = 2;
/** The length of a pause as a multiple of the round before it. */
const pausePerRound = 2;
/** No consumer waits longer than this for a round, in milliseconds. */
const longestPause = 100;

/**
 * Wakes the consumers of watches in rounds. The cost of a round is mostly one encrypted write per watcher, however many events the write carries. A
 * long round is therefore followed by a pause twice as long, in which events accumulate. A few watchers receive every event at once, many watchers
 * receive several events at a time, and the fan-out takes at most a third of the process's time.
 */
export class DeliveryRounds {
  readonly #clock: DeliveryClock;
  #waiting: (() => void)[] = [];
  /** Whether a round is scheduled or in progress. */
  #busy = false;
  #notBefore = 0;

  constructor(clock: DeliveryClock = eventLoop) {
    this.#clock = clock;
  }

  /** Calls `deliver` in the next round. */
  schedule(deliver: () => void): void {
    this.#waiting.push(deliver);
    if (!this.#busy) this.#arm();
  }

  #arm(): void {
    this.#busy = true;
    this.#clock.after(Math.max(0, this.#notBefore - this.#clock.now()), () => this.#run());
  }

  #run(): void {
    const started = this.#clock.now();
    const round = this.#waiting;
    this.#waiting = [];
    for (const deliver of round) deliver();
    this.#clock.whenIdle(() => this.#rest(started));
  }

  #rest(started: number): void {
    const now = this.#clock.now();
    const took = now - started;
    this.#notBefore = took < freeRound ? now : now + Math.min(pausePerRound * took, longestPause);
    this.#busy = false;
    if (this.#waiting.length > 0) this.#arm();
  }
}

/** The rounds of this process: all its watchers share one event loop. */
export const deliveryRounds = new DeliveryRounds();
