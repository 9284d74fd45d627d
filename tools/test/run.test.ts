import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const repository = resolve(import.meta.dirname, '../..');
const tests = (...bodies: readonly string[]) => bodies.map((body, at) => `it('${at}', ${body});`).join('\n');
const passes = '() => undefined';
const fails = "() => { throw new Error('as the test says'); }";

describe('npm test', function () {
  let directory: string;

  /** Runs the library tests of a small repository through nx, with the tools of this repository. */
  const run = (...args: readonly string[]) => runWith(process.env, ...args);

  function runWith(
    environment: NodeJS.ProcessEnv,
    ...args: readonly string[]
  ): { code: number | null; output: string; last: string | undefined } {
    const own = Object.entries(environment).filter(([name]) => !/^(?:NX_|APICHAIN_TEST_)/.test(name));
    const { status, stdout, stderr } = spawnSync(process.execPath, ['tools/test/run.ts', '--unit', ...args], {
      cwd: directory,
      env: Object.fromEntries(own),
      encoding: 'utf8',
    });
    return { code: status, output: stdout + stderr, last: stdout.trimEnd().split('\n').at(-1) };
  }

  const writeTests = (library: string, text: string) =>
    writeFileSync(join(directory, `libs/${library}/src/some.test.ts`), text);

  before(() => {
    directory = realpathSync(mkdtempSync(join(tmpdir(), 'apichain-run-')));
    for (const path of ['nx.json', '.mocharc.json', 'tools/test', 'tools/workspace'])
      cpSync(join(repository, path), join(directory, path), { recursive: true });
    rmSync(join(directory, 'tools/test/run.test.ts'));
    symlinkSync(join(repository, 'node_modules'), join(directory, 'node_modules'));
    const manifest = { name: 'some', private: true, type: 'module', workspaces: ['libs/*'] };
    writeFileSync(join(directory, 'package.json'), JSON.stringify(manifest));
    for (const library of ['one', 'two']) {
      mkdirSync(join(directory, `libs/${library}/src`), { recursive: true });
      writeFileSync(join(directory, `libs/${library}/package.json`), JSON.stringify({ name: library, type: 'module' }));
    }
    writeTests('one', tests(passes, passes));
  });
  after(() => rmSync(directory, { recursive: true, force: true }));

  it('fails when a test does, and sums over all projects', () => {
    writeTests('two', tests(passes, fails));
    const { code, output, last } = run();
    assert.equal(last, '3 passed, 1 failed, 0 skipped', output);
    assert.equal(code, 1, output);
    assert.match(output, /as the test says/);
  });

  it('counts cached and skipped tests', () => {
    writeTests('two', `${tests(passes, passes)}\nit.skip('later', ${passes});`);
    const { code, output, last } = run();
    assert.equal(last, '4 passed, 0 failed, 1 skipped', output);
    assert.equal(code, 0, output);
    const again = run();
    assert.match(again.output, /2\/2 hit/);
    assert.deepEqual([again.code, again.last], [code, last], again.output);
  });

  it('fails when a run ends before its tests', () => {
    writeTests('two', tests('() => process.exit(0)'));
    const { code, output, last } = run();
    assert.equal(last, '2 passed, 0 failed, 0 skipped', output);
    assert.equal(code, 1, output);
    assert.match(output, /libs\/two: mocha ended with code 0 before its tests did/);
  });

  /** Node, npm and the base system: nothing that a test needs beside them. */
  const bare = (more: Readonly<Record<string, string>>) => {
    const folder = join(directory, 'bare');
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    for (const name of ['sh', 'bash', 'env', 'uname', 'cat'])
      if (existsSync(`/bin/${name}`)) symlinkSync(`/bin/${name}`, join(folder, name));
    symlinkSync(process.execPath, join(folder, 'node'));
    return { PATH: folder, APICHAIN_TEST_INSTALL: 'no', ...more };
  };

  it('names what cannot run on a bare machine, and fails for it in CI alone', () => {
    // Put together, so that this file does not count as one that runs it.
    const program = ['kube', 'ctl'].join('');
    writeTests('two', `import 'node:child_process';\nconst program = '${program}';\n${tests(passes, fails)}`);
    const { CI: _ci, ...outside } = process.env;
    const there = runWith({ ...outside, ...bare({}) });
    assert.deepEqual([there.code, there.last], [0, '2 passed, 0 failed, 0 skipped'], there.output);
    assert.match(there.output, /^not run, because programs are missing: libs\/two\/src\/some\.test\.ts \(kubectl\)$/m);
    const inCI = runWith({ ...outside, ...bare({ CI: 'true' }) });
    assert.deepEqual([inCI.code, inCI.last], [1, '3 passed, 1 failed, 0 skipped'], inCI.output);
  });

  it('passes arguments on to mocha', () => {
    writeTests('two', tests(passes));
    assert.equal(run('--grep', '^1$').last, '1 passed, 0 failed, 0 skipped');
  });
});
