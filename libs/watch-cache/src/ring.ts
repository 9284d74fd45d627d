import type { CacheEvent } from '@apichain/storage';

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
export class EventRing {
  readonly #limits: RingLimits;
  #events: (CacheEvent | undefined)[] = [];
  #times: number[] = [];
  #head = 0;
  #framesHead = 0;
  #bytes = 0;
  #knownFloor: number;

  constructor(floor: number, limits: RingLimits = defaultRingLimits) {
    this.#knownFloor = floor;
    this.#limits = limits;
  }

  /** Changes up to this revision (inclusive) are not available. */
  get floor(): number {
    return this.#knownFloor;
  }
  get size(): number {
    return this.#events.length - this.#head;
  }

  /** The number of events that fit before an event that is still needed is removed. */
  get capacity(): number {
    return Math.max(this.#limits.minEvents, this.size);
  }

  push(event: CacheEvent, now: number = Date.now()): void {
    this.#events.push(event);
    this.#times.push(now);
    this.#bytes += event.weight;
    this.trim(now);
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
  trim(now: number = Date.now()): void {
    const { maxEvents, maxBytes, minEvents, window } = this.#limits;
    while (this.size > maxEvents || (this.#bytes > maxBytes && this.size > 1)) this.#drop();
    while (this.size > minEvents && (this.#times[this.#head] ?? now) < now - window) this.#drop();
    this.#framesHead = Math.max(this.#framesHead, this.#head);
    while (this.#framesHead < this.#events.length && (this.#times[this.#framesHead] ?? now) < now - frameLifetime) {
      this.#events[this.#framesHead++]?.forgetFrames();
    }
    this.#compact();
  }

  #drop(): void {
    const event = this.#events[this.#head];
    if (event !== undefined) {
      this.#knownFloor = event.revision;
      this.#bytes -= event.weight;
    }
    this.#events[this.#head++] = undefined;
  }

  #compact(): void {
    if (this.#head < 1_024 || this.#head < this.#events.length / 2) return;
    this.#events = this.#events.slice(this.#head);
    this.#times = this.#times.slice(this.#head);
    this.#framesHead -= this.#head;
    this.#head = 0;
  }
}
