import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { releaseMemory } from './release-memory.ts';
import { boundYoungGeneration, youngGeneration } from './young-generation.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options: object) => void;
setFlagsFromString('--no-expose-gc');

/** Bytes of one half. The last step need not lead there exactly: V8 shrinks the space to what survives. */
const bound = 16 * 1024 * 1024;
const least = 0.75 * bound;
const most = 1.5 * bound;

describe('the young generation', () => {
  it('grows to its bound, all the way and no further, however much is made', async () => {
    releaseMemory();
    const kept: object[][] = [];
    for (let turn = 0; turn < 300; turn++) {
      const survivors: object[] = [];
      for (let i = 0; i < 10_000; i++) survivors.push({ turn, i });
      kept[turn % 8] = survivors;
      await nextTurn();
    }
    // V8 alone would stay at 8 MiB or less where little survives, and go to 64 where much does.
    const bytes = youngGeneration();
    assert.ok(bytes >= least && bytes <= most, `${bytes} bytes`);
    assert.equal(kept.length, 8);
  });

  it('grows where nothing that is made is kept, also after V8 has shrunk it', async () => {
    boundYoungGeneration();
    for (let time = 0; time < 3; time++) {
      // What V8 does by itself when a process has had nothing to do for some seconds.
      collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
      assert.ok(youngGeneration() < 4 * 1024 * 1024, `${youngGeneration()} bytes after it was shrunk`);
      let made = 0;
      for (let turn = 0; turn < 3_000 && youngGeneration() < least; turn++) {
        for (let i = 0; i < 3_000; i++) made += Object.keys({ turn, i }).length;
        await nextTurn();
      }
      assert.ok(youngGeneration() >= least, `${youngGeneration()} bytes after ${made} objects`);
    }
  });

  it('is left alone where the process was given less', () => {
    const module = new URL('young-generation.ts', import.meta.url).href;
    const script = `
      const { boundYoungGeneration } = await import('${module}');
      boundYoungGeneration();
      gc();
      const before = process.memoryUsage().heapUsed;
      let made = 0;
      for (let turn = 0; turn < 1000; turn++) {
        for (let i = 0; i < 3000; i++) made += Object.keys({ turn, i }).length;
        await new Promise(setImmediate);
      }
      gc();
      console.log(process.memoryUsage().heapUsed - before);`;
    const flags = ['--expose-gc', '--max-semi-space-size=4', '--input-type=module', '--eval', script];
    const kept = Number(execFileSync(process.execPath, flags, { encoding: 'utf8' }));
    assert.ok(kept < 2 * 1024 * 1024, `${kept} bytes are kept`);
  });
});
