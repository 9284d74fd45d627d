import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('main.ts', import.meta.url));
const run = (...args: string[]) => spawnSync(process.execPath, [main, ...args], { encoding: 'utf8', timeout: 60_000 });

describe('the benchmark', function () {
  this.timeout(60_000);

  it('prints its usage', () => {
    const { status, stdout } = run('--help');
    assert.equal(status, 0);
    assert.match(stdout, /^usage: npm run bench -- --target TARGET/);
  });

  it('reports an invalid command line in one line', () => {
    const { status, stderr } = run('--nope');
    assert.equal(status, 2);
    assert.match(stderr, /^Unknown option '--nope'.*\n\nusage: /);
    assert.match(run('--short').stderr, /^name at least one server\n/);
  });
});
