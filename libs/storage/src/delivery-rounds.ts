export interface DeliveryClock {
  /** Milliseconds of a monotonic clock. */
  now(): number;
  /** The time in milliseconds that this process has had: in which it worked or had nothing to do. Time in which others had the processor is not part of it. */
  own(): number;
  /** Runs `work` after `milliseconds`; 0 = before any other task of the event loop. */
  after(milliseconds: number, work: () => void): void;
}

const eventLoop: DeliveryClock = {
  now: () => performance.now(),
  own: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000 + performance.eventLoopUtilization().idle;
  },
  after: (milliseconds, work) => {
    // The timer must not keep an otherwise idle process alive.
    if (milliseconds > 0) setTimeout(work, milliseconds).unref();
    else queueMicrotask(work);
  },
};

/**
 * The time in milliseconds that a round is charged with. A consumer costs about 0.03 ms, mostly one encrypted write. So rounds of 500 consumers take
 * about a fifth of the process's time at most, as collecting events for them pays; those of few consumers may take more than half.
 */
const chargeOf = (consumers: number): number => consumers * Math.min(0.15, 0.05 + consumers * 0.0002);
/** So many milliseconds may be owed before events are collected. */
const credit = 50;
/** No consumer waits longer than this for a round, in milliseconds. */
const longestPause = 100;

/**
 * Wakes the consumers of watches in rounds. The cost of a round is the number of its consumers, however many events each of them gets. Each round is
 * charged with time by its consumers, and the time of the process pays for it. While little is owed, every event is delivered in the
 * turn in which it arrives: with few consumers, or with few events for many. Only when events for many consumers arrive faster than they can be
 * delivered one by one, rounds pause, and consumers get several events at a time. How long a round took does not matter: on a busy machine that says
 * little about its cost.
 */
export class DeliveryRounds {
  readonly #clock: DeliveryClock;
  #waiting: (() => void)[] = [];
  #isArmed = false;
  #pausedSince = 0;
  /** What was owed when the process had had `#paidUntil`, both in milliseconds. */
  #owed = 0;
  #paidUntil = 0;

  constructor(clock: DeliveryClock = eventLoop) {
    this.#clock = clock;
  }

  /** Calls `deliver` in the next round. */
  schedule(deliver: () => void): void {
    this.#waiting.push(deliver);
    if (this.#isArmed) return;
    this.#isArmed = true;
    const pause = this.#excess();
    if (pause > 0) this.#pausedSince = this.#clock.now();
    this.#clock.after(pause, pause > 0 ? this.#resume : this.#run);
  }

  /** The timer counts the time of the clock. Where others have the processor, the process has had less. */
  readonly #resume = (): void => {
    const left = this.#pausedSince + longestPause - this.#clock.now();
    const pause = Math.min(left, this.#excess());
    if (pause >= 1) this.#clock.after(pause, this.#resume);
    else this.#run();
  };

  readonly #run = (): void => {
    this.#isArmed = false;
    const round = this.#waiting;
    this.#waiting = [];
    this.#owed = Math.min(this.#owed + chargeOf(round.length), credit + longestPause);
    for (const deliver of round) deliver();
  };

  /** What is owed beyond the credit. The clock is only read when that may be anything. */
  #excess(): number {
    if (this.#owed <= credit) return 0;
    const own = this.#clock.own();
    this.#owed = Math.max(0, this.#owed - (own - this.#paidUntil));
    this.#paidUntil = own;
    return Math.max(0, this.#owed - credit);
  }
}

/** The rounds of this process: all its watchers share one event loop, and its time is paid with once. */
export const deliveryRounds = new DeliveryRounds();
