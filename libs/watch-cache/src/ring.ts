import type { CacheEvent } from '@apichain/storage';
import { HistoryBudget, type BudgetedHistory } from './history-budget.ts';

export interface RingLimits {
  /** The number of events kept regardless of their age. */
  readonly minEvents: number;
  readonly maxEvents: number;
  /** Events beyond the minimum are removed when they are older than this, in milliseconds. */
  readonly window: number;
  readonly maxBytes: number;
}

/** Capacity and history window are kube-apiserver's; the limit in bytes is apichain's. */
export const defaultRingLimits: RingLimits = {
  minEvents: 100,
  maxEvents: 102_400,
  window: 75_000,
  maxBytes: 64 * 1024 * 1024,
};

/** How long an event keeps its encoded frames for late watchers, in milliseconds. */
const frameLifetime = 5_000;

/** The recent changes of a resource in revision order, complete for every revision after `floor`. */
export class EventRing implements BudgetedHistory {
  readonly #limits: RingLimits;
  readonly #budget: HistoryBudget;
  #events: (CacheEvent | undefined)[] = [];
  #times: number[] = [];
  #head = 0;
  #framesHead = 0;
  #bytes = 0;
  #knownFloor: number;

  constructor(floor: number, limits: RingLimits = defaultRingLimits, budget = new HistoryBudget()) {
    this.#knownFloor = floor;
    this.#limits = limits;
    this.#budget = budget;
    budget.add(this);
  }

  /** Changes up to this revision (inclusive) are not available. */
  get floor(): number {
    return this.#knownFloor;
  }
  get size(): number {
    return this.#events.length - this.#head;
  }

  /** What the events keep in memory, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The number of events that fit before an event that is still needed is removed. */
  get capacity(): number {
    return Math.max(this.#limits.minEvents, this.size);
  }

  push(event: CacheEvent, now: number = performance.now()): void {
    this.#events.push(event);
    this.#times.push(now);
    this.#bytes += event.weight;
    this.trim(now);
    this.#budget.changed(this, event.weight);
  }

  /** Takes the ring out of the budget that it shares with others. */
  close(): void {
    this.#budget.remove(this);
  }

  /** The changes after `revision`, oldest first, or undefined when some of them have been removed. */
  since(revision: number): CacheEvent[] | undefined {
    if (revision < this.#knownFloor) return undefined;
    const after: CacheEvent[] = [];
    for (let i = this.#firstAfter(revision); i < this.#events.length; i++) {
      const event = this.#events[i];
      if (event !== undefined) after.push(event);
    }
    return after;
  }

  #firstAfter(revision: number): number {
    let low = this.#head;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#events[middle]?.revision ?? 0) <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Removes events beyond the limits. */
  trim(now: number = performance.now()): void {
    const { maxEvents, maxBytes, minEvents, window } = this.#limits;
    while (this.size > maxEvents || (this.#bytes > maxBytes && this.size > 1)) this.dropOldest();
    while (this.size > minEvents && (this.#times[this.#head] ?? now) < now - window) this.dropOldest();
    this.#framesHead = Math.max(this.#framesHead, this.#head);
    while (this.#framesHead < this.#events.length && (this.#times[this.#framesHead] ?? now) < now - frameLifetime) {
      this.#events[this.#framesHead++]?.forgetFrames();
    }
    this.#compact();
  }

  dropOldest(): void {
    const event = this.#events[this.#head];
    this.#events[this.#head++] = undefined;
    if (event === undefined) return;
    this.#knownFloor = event.revision;
    event.forgetFrames();
    this.#bytes -= event.weight;
    this.#budget.changed(this, -event.weight);
  }

  #compact(): void {
    if (this.#head < 1_024 || this.#head < this.#events.length / 2) return;
    this.#events = this.#events.slice(this.#head);
    this.#times = this.#times.slice(this.#head);
    this.#framesHead -= this.#head;
    this.#head = 0;
  }
}
