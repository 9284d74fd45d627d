import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { boundYoungGeneration, collectInOneThread } from './young-generation.ts';

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

/**
 * By how much the old generation may grow beyond what lives in it before it is collected, in percent. V8 would let a small heap grow to four
 * times that, which nothing here is faster for: what fills it are mostly the streams of calls that are over.
 */
const growthPercent = 50;

/**
 * Gives back to the system what a start has left in the heap: garbage of parsing and compiling that V8 would keep for as long as nothing
 * happens; from then on the heap grows more slowly. Takes some tens of milliseconds, once.
 */
export function releaseMemory(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as Collect;
  setFlagsFromString('--no-expose-gc');
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  setFlagsFromString(`--heap-growing-percent=${growthPercent}`);
  boundYoungGeneration();
  collectInOneThread();
}
