import { machineClock, type Clock, type TimerKind } from '@apichain/meta';
import { milliseconds, type Duration } from './duration.ts';
import { TimerHeap, type Timer } from './timer-heap.ts';

/** The clock of one chain. The API shows its time as the current time, and everything that happens by time happens by it. */
export interface ChainClock extends Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /**
   * Advances the clock: `advance('1h')`, or milliseconds. A virtual clock goes from one thing that is due to the next, and waits at each until the
   * cluster has settled; it resolves when everything has happened that is due in this time. Another clock jumps: what is due happens soon after, and
   * expired objects (Events, for example) are deleted when it resolves. A negative value turns the clock back.
   */
  advance(duration: Duration): Promise<void>;
  /** Sets the clock to this time, in one jump. What is due by then becomes due at once. */
  set(time: Date): Promise<void>;
  /** Returns to the time of the machine, in one jump. */
  reset(): Promise<void>;
}

/** Pauses before another attempt that are at most this long, in milliseconds, are over when there is nothing else to do. */
const shortRetryMs = 1_000;
/** For so long after a test has done something, renewals and checks are on time, in milliseconds. */
const backgroundMs = 60_000;

/** Within a step of a virtual clock, leases of the store age by at least so much at a time, in milliseconds. */
const shortestAgeMs = 30_000;

const dueOf = ({ first }: TimerHeap): number => first?.due ?? Number.POSITIVE_INFINITY;

/** How a clock runs, and what it moves. */
interface TestClockOptions {
  /** A virtual clock stands still between two calls. It begins at this time, in milliseconds since the epoch. Undefined: the clock runs, with the machine's time. */
  readonly virtualFrom: number | undefined;
  /** Whether timers only fire while the chain settles. */
  readonly isHeld: boolean;
  readonly ageLeases: (milliseconds: number) => Promise<void>;
  readonly settle: () => Promise<void>;
  /** The order of timers that are due at the same time. */
  readonly shuffle: (timers: Timer[]) => Timer[];
}

/** A clock that tests move. */
export class TestClock implements ChainClock {
  readonly isVirtual: boolean;
  readonly #options: TestClockOptions;
  readonly #schedule = new TimerHeap();
  readonly #renewals = new TimerHeap();
  readonly #checks = new TimerHeap();
  readonly #retries = new TimerHeap();
  #made = 0;
  /** The time of a virtual clock; of another one, how far it is ahead of the machine. */
  #base: number;
  /** Wakes a clock that runs by itself. */
  #alarm: { readonly due: number; readonly cancel: () => void } | undefined;
  #fireSoon = false;
  #isStepping = false;
  #unagedMs = 0;

  constructor(options: TestClockOptions) {
    this.#options = options;
    this.isVirtual = options.virtualFrom !== undefined;
    this.#base = options.virtualFrom ?? 0;
  }

  now(): number {
    return this.isVirtual ? this.#base : Date.now() + this.#base;
  }

  setTimer(callback: () => void, delayMs: number, kind: TimerKind = 'schedule'): () => void {
    const isShortRetry = kind === 'retry' && delayMs <= shortRetryMs;
    const heap = isShortRetry ? this.#retries : this.#heapOf(kind);
    const delay = Math.max(0, delayMs);
    const timer: Timer = {
      due: this.now() + delay,
      order: this.#made++,
      isSet: true,
      fire: () => {
        if (!timer.isSet) return;
        timer.isSet = false;
        cancelAlarm();
        callback();
      },
    };
    heap.add(timer);
    // In real time too: a test that does not let the chain settle would wait for ever.
    const early = () => {
      heap.noteCancelled();
      timer.fire();
    };
    const cancelAlarm = isShortRetry && !this.#options.isHeld ? machineClock.setTimer(early, delay) : () => undefined;
    if (!isShortRetry) this.#arm();
    return () => {
      if (!timer.isSet) return;
      timer.isSet = false;
      cancelAlarm();
      heap.noteCancelled();
    };
  }

  async advance(duration: Duration): Promise<void> {
    const span = milliseconds(duration);
    if (!this.isVirtual || span < 0) return this.#jump(span);
    this.#isStepping = true;
    try {
      await this.#step(this.now() + span);
    } finally {
      this.#isStepping = false;
    }
  }

  async set(time: Date): Promise<void> {
    await this.#jump(milliseconds(time.getTime() - this.now()));
  }

  async reset(): Promise<void> {
    await this.#jump(this.isVirtual ? Date.now() - this.#base : -this.#base);
  }

  /** When something is due next that has a consequence, in milliseconds since the epoch. */
  get nextDue(): number | undefined {
    return this.#schedule.first?.due;
  }

  /** Fires what is due now and comes first. Returns whether there was anything. */
  fireDue(): boolean {
    return this.#fireBackground() || this.#fire(this.#schedule.takeDue(this.now()));
  }

  /** Ends the shortest of the short pauses. Returns whether there was one. */
  fireRetry(): boolean {
    const { first } = this.#retries;
    if (first === undefined) return false;
    return this.#fire(this.#retries.takeDue(first.due));
  }

  #heapOf(kind: TimerKind): TimerHeap {
    if (kind === 'renewal') return this.#renewals;
    return kind === 'check' ? this.#checks : this.#schedule;
  }

  /**
   * Renewals come first, however late they are: who checks whether they are missing must not do so before. Those that have been left out come together,
   * because to settle after each of them costs more than the renewals.
   */
  #fireBackground(): boolean {
    const now = this.now();
    return this.#fire(this.#renewals.takeDue(now)) || this.#fire(this.#checks.takeDue(now));
  }

  #fire(timers: Timer[]): boolean {
    const ordered = timers.length > 1 ? this.#options.shuffle(timers) : timers;
    for (const { fire } of ordered) fire();
    return timers.length > 0;
  }

  async #jump(span: number): Promise<void> {
    this.#base += span;
    await this.#age(span);
    this.#alarm?.cancel();
    this.#alarm = undefined;
    this.#arm();
    if (this.isVirtual && span > 0) await this.#options.settle();
  }

  /** From timer to timer. Renewals and checks are left out while nothing else happens, and come then with the next timer. */
  async #step(target: number): Promise<void> {
    const { settle } = this.#options;
    await settle();
    const onTimeUntil = this.#base + backgroundMs;
    for (;;) {
      const scheduled = dueOf(this.#schedule);
      const background = Math.min(dueOf(this.#renewals), dueOf(this.#checks));
      const next = background < scheduled && background <= onTimeUntil ? background : scheduled;
      if (next > target) break;
      await this.#moveTo(next);
      await this.#settleDue();
    }
    await this.#moveTo(target);
    await this.#age(0);
    await this.#settleDue();
  }

  /** What has been left out comes before what is due now. */
  async #settleDue(): Promise<void> {
    while (this.#fireBackground()) await this.#options.settle();
    this.#fire(this.#schedule.takeDue(this.#base));
    await this.#options.settle();
  }

  async #moveTo(time: number): Promise<void> {
    const span = Math.max(0, time - this.#base);
    this.#base += span;
    await this.#age(span, shortestAgeMs);
  }

  /** With `least`, leases of the store age later, together with the next steps: they last for minutes. */
  async #age(span: number, least = 0): Promise<void> {
    this.#unagedMs += span;
    if (this.#unagedMs === 0 || Math.abs(this.#unagedMs) < least) return;
    const unaged = this.#unagedMs;
    this.#unagedMs = 0;
    await this.#options.ageLeases(unaged);
  }

  #arm(): void {
    if (this.#options.isHeld) return;
    const due = Math.min(...[this.#schedule, this.#renewals, this.#checks].map(dueOf));
    const delay = Math.max(0, due - this.now());
    if (this.isVirtual) {
      if (delay > 0 || this.#fireSoon || this.#isStepping) return;
      this.#fireSoon = true;
      setImmediate(() => {
        this.#fireSoon = false;
        while (this.fireDue());
      });
      return;
    }
    if (due >= (this.#alarm?.due ?? Number.POSITIVE_INFINITY)) return;
    this.#alarm?.cancel();
    const wake = () => {
      this.#alarm = undefined;
      while (this.fireDue());
      this.#arm();
    };
    this.#alarm = { due, cancel: machineClock.setTimer(wake, delay) };
  }
}
