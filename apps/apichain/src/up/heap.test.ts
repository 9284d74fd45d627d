import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';

/**
 * Prints, for the time while the heap is held, for the time after a quiet start, and for the time after load: the size of the space for
 * new objects in MiB, and whether a function that was called often is compiled by the optimizing compiler.
 */
const program = `
import { getHeapSpaceStatistics } from 'node:v8';
import { setTimeout as delay } from 'node:timers/promises';
import { holdHeap, releaseUnderLoad } from ${JSON.stringify(new URL('heap.ts', import.meta.url).href)};
const windowMs = 100;
const measure = async (isLoaded) => {
  const add = new Function('a', 'b', 'return a + b');
  const kept = [];
  const end = performance.now() + (isLoaded ? 10 : 0.1) * windowMs;
  while (performance.now() < end) {
    for (let count = 0; count < 1000; count++) kept.push({ count: add(count, 1) });
    if (kept.length > 1_000_000) kept.length = 0;
    if (isLoaded) await new Promise(setImmediate);
  }
  const size = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size / 1024 / 1024;
  return { size, optimized: (%GetOptimizationStatus(add) & 16) !== 0 };
};
holdHeap();
const held = await measure(true);
releaseUnderLoad({ windowMs });
await delay(5 * windowMs);
const quiet = await measure(false);
await measure(true);
const loaded = await measure(true);
console.log(JSON.stringify({ held, quiet, loaded }));
`;

interface Measured {
  readonly size: number;
  readonly optimized: boolean;
}

/** Prints the directory of compiled code of a program with these words in its command line, and how many modules of Node were loaded by then. */
const cacheProgram = (words: readonly string[]) => `
import { getCompileCacheDir } from 'node:module';
import { holdHeapFor } from ${JSON.stringify(new URL('heap.ts', import.meta.url).href)};
import { keepCompiledCode } from ${JSON.stringify(new URL('../compile-cache.ts', import.meta.url).href)};
const before = process.moduleLoadList.length;
holdHeapFor(${JSON.stringify(words)});
const loaded = process.moduleLoadList.slice(before).includes('NativeModule http2');
keepCompiledCode();
console.log(JSON.stringify({ loaded, directory: getCompileCacheDir() }));
`;

function cacheOf(...words: readonly string[]): { readonly loaded: boolean; readonly directory: string } {
  const args = ['--input-type=module', '--eval', cacheProgram(words)];
  // A cache that the environment names is respected.
  const env = { ...process.env, NODE_COMPILE_CACHE: undefined };
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env });
  assert.notEqual(stdout, '', stderr);
  return JSON.parse(stdout) as ReturnType<typeof cacheOf>;
}

describe('the compiled code of a minimal chain', () => {
  it('is kept apart from that of other commands, which V8 would refuse', () => {
    const [minimal, sameOption, whole, status] = [
      cacheOf('up', '--in-process', '--apis=minimal'),
      cacheOf('up', '--apis', 'minimal', '--in-process'),
      cacheOf('up', '--in-process'),
      cacheOf('status', '--name=minimal'),
    ];
    assert.equal(sameOption.directory, minimal.directory);
    assert.equal(status.directory, whole.directory);
    assert.notEqual(minimal.directory, whole.directory);
    // Before V8 has other flags, it takes the compiled code of Node's own modules.
    assert.deepEqual([minimal.loaded, whole.loaded], [true, false]);
  });
});

describe('the heap of a minimal chain', () => {
  it('is held during the start and while there is no load', () => {
    const args = ['--allow-natives-syntax', '--input-type=module', '--eval', program];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    assert.notEqual(stdout, '', stderr);
    const { held, quiet, loaded } = JSON.parse(stdout) as Readonly<Record<'held' | 'quiet' | 'loaded', Measured>>;
    // The second half is only counted once it was used.
    assert.ok(held.size <= 4 && quiet.size <= 4, stdout);
    assert.deepEqual([held.optimized, quiet.optimized], [false, false]);
    assert.ok(loaded.size > 2 * held.size, stdout);
    assert.equal(loaded.optimized, true);
  });
});
