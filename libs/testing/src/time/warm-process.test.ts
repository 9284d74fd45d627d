import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const program = join(import.meta.dirname, 'warm-process.fixture.ts');

describe('a seed', () => {
  it('determines the writes of workloads, whatever the process has run before', async function () {
    this.timeout(240_000);
    const { stdout } = await promisify(execFile)(process.execPath, [program, '7', '1', '7'], {
      maxBuffer: 16 * 1024 * 1024,
    });
    const [first = [], other, again] = JSON.parse(stdout) as string[][];
    assert.deepEqual(again, first);
    assert.ok(first.filter((write) => write.includes('PodList')).length === 3, first.join('\n'));
    assert.notDeepEqual(other, first);
  });
});
