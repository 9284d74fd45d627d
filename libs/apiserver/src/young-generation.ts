import { availableParallelism } from 'node:os';
import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/**
 * One half of the space in which V8 puts new objects, in bytes. V8 would let each of the two grow to 64 MiB, of which a server that is busy
 * fills every page without being any faster.
 */
const bound = 16 * 1024 * 1024;

const growBy = (factor: number): void => setFlagsFromString(`--semi-space-growth-factor=${factor}`);

/** Bytes of the space; the second half counts once it is in use. */
export function youngGeneration(): number {
  const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
  return space?.space_size ?? 0;
}

let observer: PerformanceObserver | undefined;

/**
 * Keeps the young generation of this process small, whatever it was started with. V8 reads the limit only when it starts, but the factor by
 * which the space grows each time: one step leads to the bound, and then it grows no more.
 */
export function boundYoungGeneration(): void {
  observer?.disconnect();
  observer = undefined;
  const now = youngGeneration();
  if (now >= bound || now === 0) {
    growBy(1);
    return;
  }
  growBy(Math.max(2, Math.round(bound / now)));
  observer = new PerformanceObserver(() => {
    if (youngGeneration() < bound) return;
    growBy(1);
    observer?.disconnect();
    observer = undefined;
  });
  observer.observe({ entryTypes: ['gc'] });
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
