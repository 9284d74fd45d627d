import { availableParallelism } from 'node:os';
import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/**
 * One half of the space in which V8 puts new objects, in bytes. V8 would let each of the two grow to 64 MiB, of which a server that is busy
 * fills every page without being any faster.
 */
const bound = 16 * 1024 * 1024;

const growBy = (factor: number): void => setFlagsFromString(`--semi-space-growth-factor=${factor}`);

/** Bytes of one half of the space. Its size would not tell: the second half counts in it once it has been in use. */
export function youngGeneration(): number {
  const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
  return space === undefined ? 0 : space.space_used_size + space.space_available_size;
}

/** Collections that follow each other faster than this, in milliseconds, are those of a busy server with too little space. */
const busyMs = 100;

/** V8 counts what survives when the next collection begins, and moves it out of the space the second time. */
const collectionsToSurvive = 4;

/**
 * Objects that take `bytes`. V8 lets the space grow when as much as it holds has survived collections, which for a server that is only read from
 * may be never; and one that stays at its first megabyte collects every dozen requests.
 */
const survivors = (bytes: number): object[] => Array.from({ length: Math.ceil(bytes / 32) }, (_, x) => ({ x }));

/** Has the space grow to its bound and no further, again each time when V8 has shrunk it because nothing happened for a while. */
class Growth {
  readonly #observer: PerformanceObserver;
  #isGrowing = true;
  #ballast: object[] | undefined;
  /** Collections that the ballast has still to survive. */
  #left = 0;
  /** The size at which help was given: a process that was started with less space than the bound stays there. */
  #helpedAt: number | undefined;
  #lastCollection = -Infinity;

  constructor(now: number) {
    this.#follow(now);
    this.#observer = new PerformanceObserver((list) => this.#collected(list.getEntries().at(-1)?.startTime ?? 0));
    this.#observer.observe({ entryTypes: ['gc'] });
  }

  #collected(at: number): void {
    const now = youngGeneration();
    this.#follow(now);
    if (this.#ballast !== undefined && --this.#left <= 0) this.#ballast = undefined;
    if (this.#isGrowing && at - this.#lastCollection < busyMs && now !== this.#helpedAt) {
      this.#helpedAt = now;
      this.#left = collectionsToSurvive;
      this.#ballast = survivors(now);
    }
    this.#lastCollection = at;
  }

  /** One step leads to the bound. What lies unused in a page makes a full space look a little smaller than it is. */
  #follow(now: number): void {
    const factor = Math.max(1, Math.round(bound / now));
    this.#isGrowing = factor > 1;
    if (!this.#isGrowing) this.#ballast = this.#helpedAt = undefined;
    growBy(factor);
  }

  stop(): void {
    this.#observer.disconnect();
  }
}

let growth: Growth | undefined;

/**
 * Keeps the young generation of this process small, whatever it was started with. V8 reads the limit only when it starts, but the factor by
 * which the space grows each time.
 */
export function boundYoungGeneration(): void {
  growth?.stop();
  const now = youngGeneration();
  growth = now === 0 ? undefined : new Growth(now);
}

/** Where there are no more processors than this, a server's processes and its clients keep all of them busy. */
const fewProcessors = 4;

/**
 * Has the young generation collected by one thread. V8 gives a collection several, which for so small a space wait for each other longer than
 * they work: 9% of the processor time of a write, and more of a read's, when other processes want the processors too.
 */
export function collectInOneThread(): void {
  if (availableParallelism() <= fewProcessors) setFlagsFromString('--no-parallel-scavenge');
}
