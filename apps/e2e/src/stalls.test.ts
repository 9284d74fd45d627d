import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { repository } from './chain.ts';

/** All known cases and a few random ones. The number does not depend on the speed of the machine. */
const cases = 26;

describe('npm run fuzz -- --stalls, in its short form', function () {
  this.timeout(1_800_000);

  it('finds no request that holds a service for a second', async () => {
    // The known cases once blocked a service for 2 to 60 seconds, on machines faster than those of the tests.
    const args = [
      '--stalls',
      '--known',
      '--no-minimize',
      '--seed=1',
      `--cases=${cases}`,
      '--wait=1000',
      '--memory=600',
    ];
    const child = spawn(process.execPath, [join(repository, 'tools/fuzz/main.ts'), ...args], { cwd: repository });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
    const [code] = (await once(child, 'exit')) as [number | null];
    assert.equal(code, 0, output);
    assert.match(output, new RegExp(`^${cases} cases with seed`, 'm'));
  });
});
