import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repository } from './chain.ts';

describe('npm run bench, in its short form', function () {
  this.timeout(480_000);

  const bench = async (...args: string[]) => {
    const script = join(repository, 'tools/bench/main.ts');
    const options = { cwd: repository, timeout: 450_000 };
    return (await promisify(execFile)(process.execPath, [script, '--short', '--rounds=1', ...args], options)).stdout;
  };

  it('starts a server, runs every workload and prints a figure for each', async () => {
    const table = await bench('--target=tools/bench/servers/apichain-embedded.json');
    const rows = table
      .trim()
      .split('\n')
      .slice(2)
      .map((line) => line.split('|').map((cell) => cell.trim()));
    const workloads = rows.map(([, workload = '']) => workload);
    for (const some of [
      'time to ready',
      'CREATE pods',
      'LIST limit=500',
      'PATCH',
      'watch events',
      'DELETE',
      'CREATE pods, once more',
      'GET custom',
    ])
      assert.ok(
        workloads.some((workload) => workload.startsWith(some)),
        `${some}: ${table}`,
      );
    for (const [, workload, , value] of rows) assert.ok(Number(value) > 0, `${workload}: ${value}`);
  });

  it('measures how long another user waits while one reads, for each representation', async () => {
    const script = join(repository, 'tools/bench/reads.ts');
    const target = '--target=tools/bench/servers/apichain-embedded.json';
    const options = { cwd: repository, timeout: 450_000 };
    const size = ['--large=1', '--pods=5', '--custom=1', '--parallel=2', '--settle=50'];
    const { stdout } = await promisify(execFile)(process.execPath, [script, target, ...size], options);
    const rows = stdout.trim().split('\n').slice(2);
    for (const shape of ['protobuf', 'Table', 'YAML', 'pretty, gzip', 'watch metadata'])
      assert.equal(
        rows.filter((row) => new RegExp(`(maps|pods|custom|converted), ${shape} x 2 `).test(row)).length,
        4,
        stdout,
      );
    for (const row of rows) {
      const [, status] = /^\| [^|]+ x 2 \| \d+ ms; \+\d+ MB; (\d+), \d+ MB \|$/.exec(row) ?? [];
      // Custom resources have no protobuf.
      assert.equal(
        status,
        row.includes('custom') && /protobuf(, gzip)? x/.test(row) && !row.includes('metadata') ? '406' : '200',
        row,
      );
    }
  });

  it('explains in one line why a target cannot be measured', async () => {
    const failed = (error: { code: number; stderr: string }) =>
      error.code === 1 && /^bench: .*servers\/absent\.json/.test(error.stderr);
    await assert.rejects(bench('--target=servers/absent.json'), failed);
  });
});
