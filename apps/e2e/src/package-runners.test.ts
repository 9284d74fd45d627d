import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { repository } from './chain.ts';
import { packedPackage } from './packed-package.ts';
import { requireRegistry } from './requirements.ts';

/** The oldest Node that the package supports, an older one, and the test runners whose commands its README names. */
const oldest = 'node@22.20.0';
const tooOld = 'node@20.20.2';
const runners = ['vitest@5.1.1', 'jest@30.5.2', 'mocha@12.0.3'];
const modules = ['', '/testing', '/node-test', '/vitest', '/jest', '/mocha', '/envtest', '/client', '/server', '/etcd'];

const readme = readFileSync(join(repository, 'tools/package/README.md'), 'utf8');
/** How many tests each runner reports as passed. */
const passed: Readonly<Record<string, RegExp>> = {
  node: /^(?:ℹ|#) pass 1$/m,
  other: /^(?:ℹ|#) pass 1$/m,
  vitest: /Tests +1 passed \(1\)/,
  jest: /^Tests: +1 passed, 1 total$/m,
  mocha: /^ *1 passing/m,
};

/** A consumer whose settings are those of CommonJS and of envtest-js's vitest glue. */
const typed = `
import { inject, test as base } from 'vitest';
import { chainFixtures, type ChainContext } from 'apichain/vitest';
import { createVitestGlobalSetup } from 'apichain/envtest/vitest';
import { restRequestOk, type EnvtestConfig } from 'apichain/envtest';
import { useChain } from 'apichain/jest';

export default createVitestGlobalSetup({ crdDirectoryPaths: [] });
const test = base.extend<ChainContext>(chainFixtures({ crds: [] }));
test('types', async ({ chain }) => {
  const url: string = chain.url;
  const config: EnvtestConfig = inject('envtest');
  const version: string = (await restRequestOk(config, 'GET', url)).json.gitVersion;
  const stop: () => Promise<void> = useChain()().stop;
  await stop();
  return version;
});
`;

describe('the published package, beside test runners', function () {
  this.timeout(480_000);
  let directory: string;
  let oldNode: string;
  let environment: NodeJS.ProcessEnv;

  const nodeOf = (folder: string) => join(folder, 'node_modules/node/bin/node');

  function spawnIn(cwd: string, command: string, args: readonly string[]) {
    const { status, stdout, stderr } = spawnSync(command, args, {
      cwd,
      env: environment,
      encoding: 'utf8',
      timeout: 120_000,
    });
    return { status, output: `${stdout}${stderr}` };
  }

  function run(cwd: string, command: string, args: readonly string[]): string {
    const { status, output } = spawnIn(cwd, command, args);
    assert.equal(status, 0, `${command} ${args.join(' ')}:\n${output}`);
    return output;
  }

  function install(folder: string, packages: readonly string[]): void {
    mkdirSync(folder, { recursive: true });
    // The script of the package of Node links the program for this machine.
    const manifest = { private: true, type: 'module', allowScripts: { node: true } };
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
    const args = ['install', '--prefer-offline', '--no-audit', '--no-fund', ...packages];
    const { status, stdout, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8' });
    assert.equal(status, 0, `${stdout}${stderr}`);
  }

  before(async function () {
    requireRegistry(this);
    directory = mkdtempSync(join(tmpdir(), 'apichain-runners-'));
    environment = { ...process.env, NO_COLOR: '1' };
    // A test runner within a test runner must not take the settings of the outer one.
    for (const name of ['NODE_OPTIONS', 'NODE_TEST_CONTEXT', 'FORCE_COLOR']) delete environment[name];
    install(directory, [await packedPackage(), oldest, ...runners]);
    oldNode = join(directory, 'old');
    install(oldNode, [tooOld]);
    environment['PATH'] = [dirname(nodeOf(directory)), process.env['PATH']].join(delimiter);
    for (const [, name = '', text = ''] of readme.matchAll(/^```\w+ file=(\S+)\n(.*?)^```$/gms)) {
      mkdirSync(dirname(join(directory, name)), { recursive: true });
      writeFileSync(join(directory, name), text);
    }
  });
  after(() => {
    if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
  });

  const commands = [...readme.matchAll(/^```sh test=(\S+)\n(.*?)^```$/gms)].flatMap(([, folder = '', text = '']) =>
    text
      .trim()
      .split('\n')
      .map((command) => ({ folder, command })),
  );
  const commandBlocks = (attribute: string) => [...readme.matchAll(new RegExp(`^\`\`\`sh${attribute}`, 'gm'))].length;
  it('has a README with a command for each runner', () => {
    assert.deepEqual(
      commands.map(({ folder }) => folder),
      ['node', 'vitest', 'jest', 'mocha', 'other', 'command', 'command'],
    );
    // The first block installs the package.
    assert.equal(commandBlocks(' test='), commandBlocks('') - 1);
  });

  for (const { folder, command } of commands)
    it(`runs with Node 22.20 as its README says: ${command} (${folder})`, () => {
      const cwd = join(directory, folder);
      mkdirSync(cwd, { recursive: true });
      const [program = '', ...args] = command.split(' ');
      const output = run(cwd, program, args);
      const expected = passed[folder];
      if (expected !== undefined) assert.match(output, expected);
    });

  it('has a preset for jest', () => {
    assert.match(run(join(directory, 'jest-preset'), 'npx', ['jest']), /^Tests: +1 passed, 1 total$/m);
  });

  it('can be required, with Node 22.20 and without a warning', () => {
    const required = modules.map((module) => `require('apichain${module}')`).join(';');
    const program = `${required}; require('apichain/testing').startChain().then((chain) => chain.stop()).then(() => console.log('stopped'))`;
    assert.equal(run(directory, nodeOf(directory), ['--input-type=commonjs', '-e', program]), 'stopped\n');
  });

  it('has types for TypeScript with vitest, and for require', () => {
    writeFileSync(join(directory, 'typed.ts'), typed);
    writeFileSync(
      join(directory, 'typed.cts'),
      "import testing = require('apichain/testing');\nexport = testing.startChain;\n",
    );
    const tsc = join(repository, 'node_modules/typescript/bin/tsc');
    const types = ['--types', 'node', '--typeRoots', join(repository, 'node_modules/@types')];
    const options = ['--noEmit', '--strict', '--target', 'esnext', '--module', 'nodenext', '--skipLibCheck'];
    run(directory, process.execPath, [tsc, ...options, ...types, 'typed.ts', 'typed.cts']);
  });

  describe('with a Node that is too old', () => {
    const line = /^apichain: Node 22\.20 or newer is needed; this is v20\.20\.2\n$/;

    it('ends its command with one line', () => {
      const bin = join(directory, 'node_modules/apichain/bin/apichain.js');
      const { status, output } = spawnIn(directory, nodeOf(oldNode), [bin, 'version']);
      assert.equal(status, 1);
      assert.match(output, line);
    });

    for (const module of modules)
      it(`refuses to load apichain${module} with that line`, () => {
        for (const [type, load] of [
          ['module', `import('apichain${module}').catch(({ message }) => console.log(message))`],
          ['commonjs', `try { require('apichain${module}') } catch ({ message }) { console.log(message) }`],
        ] as const)
          assert.match(run(directory, nodeOf(oldNode), [`--input-type=${type}`, '-e', load]), line);
      });
  });
});
