export interface DeliveryClock {
  /** Milliseconds of a clock that never goes back. */
  now(): number;
  /** Runs `work` after `milliseconds`; 0 = before anything else the event loop does. */
  after(milliseconds: number, work: () => void): void;
  /** Runs `work` when everything that has been set going is done. */
  whenIdle(work: () => void): void;
}

const eventLoop: DeliveryClock = {
  now: () => performance.now(),
  after: (milliseconds, work) => {
    // A process that has nothing else to do need not wait for it.
    if (milliseconds > 0) setTimeout(work, milliseconds).unref();
    else queueMicrotask(work);
  },
  whenIdle: (work) => {
    // The first turn is that of connections which gather writes until then.
    setImmediate(() => setImmediate(work));
  },
};

/** A round that takes less than this is not worth a pause, in milliseconds. */
const freeRound = 2;
/** A pause is so many times as long as the round before it. */
const pausePerRound = 2;
/** No consumer waits longer than this for a round, in milliseconds. */
const longestPause = 100;

/**
 * Wakes the consumers of watches in rounds. What a round costs is mostly one encrypted write for each watcher, however many
 * events it carries; so a round that took long is followed by a pause twice as long, in which events gather. A few watchers get
 * every event at once, many get several at a time, and the fan-out takes a third of the process at most.
 */
export class DeliveryRounds {
  readonly #clock: DeliveryClock;
  #waiting: (() => void)[] = [];
  /** A round is due, or the last one is not over. */
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

/** The rounds of this process: all its watches share one event loop. */
export const deliveryRounds = new DeliveryRounds();
