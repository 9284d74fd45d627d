export interface DeliveryClock {
  /** Milliseconds of a monotonic clock. */
  now(): number;
  /** Runs `work` after `milliseconds`; 0 = before any other task of the event loop. */
  after(milliseconds: number, work: () => void): void;
}

const eventLoop: DeliveryClock = {
  now: () => performance.now(),
  after: (milliseconds, work) => {
    // The timer must not keep an otherwise idle process alive.
    if (milliseconds > 0) setTimeout(work, milliseconds).unref();
    else queueMicrotask(work);
  },
};

/**
 * The time in milliseconds that others get for each consumer of a round. Twice what a consumer costs, which is mostly one encrypted write, so that
 * delivery takes about a third of the process's time at most.
 */
const restPerConsumer = 0.05;
/** So many milliseconds of rest may be owed before events are collected. */
const credit = 50;
/** No consumer waits longer than this for a round, in milliseconds. */
const longestPause = 100;

/**
 * Wakes the consumers of watches in rounds. The cost of a round is the number of its consumers, however many events each of them gets. Each round
 * therefore owes a rest in proportion to its consumers, and time pays for it. While little is owed, every event is delivered in the turn in which it
 * arrives: with few consumers, or with few events for many. Only when events for many consumers arrive faster than they can be delivered one by one,
 * rounds pause, and consumers get several events at a time. How long a round took does not matter: on a busy machine that says nothing about its cost.
 */
export class DeliveryRounds {
  readonly #clock: DeliveryClock;
  #waiting: (() => void)[] = [];
  #isArmed = false;
  /** The rest that was owed at the time `#owedAt`, in milliseconds. */
  #owed = 0;
  #owedAt = 0;

  constructor(clock: DeliveryClock = eventLoop) {
    this.#clock = clock;
  }

  /** Calls `deliver` in the next round. */
  schedule(deliver: () => void): void {
    this.#waiting.push(deliver);
    if (this.#isArmed) return;
    this.#isArmed = true;
    this.#clock.after(Math.min(longestPause, Math.max(0, this.#settle() - credit)), () => this.#run());
  }

  #run(): void {
    this.#isArmed = false;
    const round = this.#waiting;
    this.#waiting = [];
    this.#owed = Math.min(this.#settle() + round.length * restPerConsumer, credit + longestPause);
    for (const deliver of round) deliver();
  }

  /** Returns the rest that is owed now. */
  #settle(): number {
    const now = this.#clock.now();
    this.#owed = Math.max(0, this.#owed - (now - this.#owedAt));
    this.#owedAt = now;
    return this.#owed;
  }
}

/** The rounds of this process: all its watchers share one event loop. */
export const deliveryRounds = new DeliveryRounds();
