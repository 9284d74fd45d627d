import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { watchPlan } from './latency/objects.ts';
import { readClusterTarget } from './simulation/cluster.ts';

const main = fileURLToPath(new URL('main.ts', import.meta.url));
const run = (...args: string[]) => spawnSync(process.execPath, [main, ...args], { encoding: 'utf8', timeout: 60_000 });

describe('the benchmark', () => {
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

describe('the measurement of workers', () => {
  it('reports an invalid command line in one line', () => {
    const workers = fileURLToPath(new URL('workers.ts', import.meta.url));
    const measure = (...args: string[]) =>
      spawnSync(process.execPath, [workers, ...args], { encoding: 'utf8', timeout: 60_000 });
    assert.match(measure().stderr, /^name at least one server\n/);
    const target = '--target=tools/bench/servers/apichain.json';
    assert.match(measure(target, '--workers=1,x').stderr, /^--workers: no numbers\n/);
    assert.match(measure(target, '--share=2').stderr, /^--share: not a part of a core\n/);
  });
});

describe('the measurement of a server that holds much', () => {
  it('reports an invalid command line in one line', () => {
    const size = fileURLToPath(new URL('size.ts', import.meta.url));
    const measure = (...args: string[]) =>
      spawnSync(process.execPath, [size, ...args], { encoding: 'utf8', timeout: 60_000 });
    assert.match(measure().stderr, /^name at least one server\n/);
    assert.match(measure('--target=tools/bench/servers/apichain.json', '--pods=x').stderr, /^--pods: not a number\n/);
  });
});

describe('the measurement of watch latency', () => {
  const latency = fileURLToPath(new URL('watch-latency.ts', import.meta.url));
  const measure = (...args: string[]) =>
    spawnSync(process.execPath, [latency, ...args], { encoding: 'utf8', timeout: 60_000 });

  it('prints its usage', () => {
    const { status, stdout } = measure('--help');
    assert.equal(status, 0);
    assert.match(stdout, /^usage: node tools\/bench\/watch-latency\.ts --target FILE/);
  });

  it('reports an invalid command line in one line', () => {
    assert.match(measure('--nope').stderr, /^Unknown option '--nope'.*\n\nusage: /);
    const running = measure('--target', 'name=a,url=https://127.0.0.1:1');
    assert.equal(running.status, 1);
    assert.match(running.stderr, /^watch-latency: --target: .* is not a file that says how to start a server\n$/);
  });
});

describe('the watches of that measurement', () => {
  it('select what their path selects: everything of a kind, a namespace, a name', () => {
    const paths = [0, 3, 6].map((number) => watchPlan(number, 16).path);
    assert.deepEqual(paths, [
      '/api/v1/pods',
      '/api/v1/namespaces/latency-0/pods',
      '/api/v1/pods?fieldSelector=metadata.name%3Dobject-0',
    ]);
    const selected = [0, 3, 6].map((number) =>
      [0, 1, 10].filter((writer) => watchPlan(number, 16).selects('pods', writer)),
    );
    assert.deepEqual(selected, [[0, 1, 10], [0, 10], [0]]);
    assert.equal(watchPlan(0, 16).selects('configmaps', 0), false);
  });
});

describe('the measurement of documents', () => {
  const passes = fileURLToPath(new URL('document-passes.ts', import.meta.url));
  const measure = (...args: string[]) =>
    spawnSync(process.execPath, [passes, ...args], { encoding: 'utf8', timeout: 60_000 });

  it('prints the median and the largest time of each pass', () => {
    const { status, stdout } = measure('--rounds', '1', '--only', '1,000 small pods');
    assert.equal(status, 0);
    assert.match(stdout, /^ median largest\n +[\d.]+ +[\d.]+ {2}1,000 small pods: /);
  });

  it('reports an invalid command line in one line', () => {
    assert.match(measure('--nope').stderr, /^Unknown option '--nope'.*\n\nusage: /);
    assert.match(measure('--rounds', '0').stderr, /^--rounds: 0 is not a positive number\n/);
  });
});

for (const name of ['reads', 'writes'])
  describe(`the measurement of ${name}`, () => {
    const program = fileURLToPath(new URL(`${name}.ts`, import.meta.url));
    const measure = (...args: string[]) =>
      spawnSync(process.execPath, [program, ...args], { encoding: 'utf8', timeout: 60_000 });

    it('prints its usage', () => {
      const { status, stdout } = measure('--help');
      assert.equal(status, 0);
      assert.ok(stdout.startsWith(`usage: node tools/bench/${name}.ts --target FILE`));
    });

    it('reports an invalid command line in one line', () => {
      assert.match(measure('--nope').stderr, /^Unknown option '--nope'.*\n\nusage: /);
      assert.match(measure().stderr, /^name at least one server\n/);
    });
  });

describe('the measurement of simulated clusters', () => {
  const simulation = fileURLToPath(new URL('simulation.ts', import.meta.url));
  const measure = (...args: string[]) =>
    spawnSync(process.execPath, [simulation, ...args], { encoding: 'utf8', timeout: 60_000 });

  it('prints its usage', () => {
    const { status, stdout } = measure('--help');
    assert.equal(status, 0);
    assert.match(stdout, /^usage: node tools\/bench\/simulation\.ts --target FILE/);
  });

  it('reports an invalid command line in one line', () => {
    assert.match(measure('--nope').stderr, /^Unknown option '--nope'.*\n\nusage: /);
    assert.match(measure().stderr, /^name at least one cluster\n/);
    const { status, stderr } = measure('--target', fileURLToPath(new URL('../../package.json', import.meta.url)));
    assert.equal(status, 1);
    assert.match(stderr, /^bench: --target: .* does not hold \{"name": /);
  });

  it('knows how to start each cluster', () => {
    const folder = new URL('simulation/targets/', import.meta.url);
    for (const file of readdirSync(folder)) {
      const { name, command } = readClusterTarget(fileURLToPath(new URL(file, folder)));
      assert.ok(name.length > 0 && command.length > 0, file);
    }
  });
});
