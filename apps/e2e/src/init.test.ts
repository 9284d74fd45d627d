import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { freePort } from '@apichain/meta';
import { waitFor } from './chain.ts';
import { packedPackage, unpackedPackage } from './packed-package.ts';
import { requireKubectl } from './requirements.ts';

/** The projects of the types of `apichain init`, in folders of the same names. */
const types = ['api', 'operator', 'control-plane'] as const;
const names = ['--group=storage.acme.org', '--kind=BackupPolicy'];

describe('a project of apichain init', function () {
  this.timeout(480_000);
  let directory: string;
  // Uses the Node that runs the tests, regardless of other installations.
  const { NODE_TEST_CONTEXT: _inherited, KUBECONFIG: _other, FORCE_COLOR: _color, ...inherited } = process.env;
  const env = { ...inherited, NO_COLOR: '1', PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter) };

  function run(cwd: string, command: string, ...args: string[]): string {
    const { status, stdout, stderr } = spawnSync(command, args, { cwd, env, encoding: 'utf8', timeout: 120_000 });
    assert.equal(status, 0, `${command} ${args.join(' ')}:\n${stdout}${stderr}`);
    return stdout;
  }

  /** A program of a project that runs until the end of the test, in a process group of its own, because npm starts others. */
  function start(cwd: string, command: string, ...args: string[]) {
    const child = spawn(command, args, { cwd, env, detached: true });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
    const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
    return {
      prints: (pattern: RegExp) =>
        waitFor(
          () => {
            assert.equal(child.exitCode, null, output);
            return pattern.test(output);
          },
          60_000,
          () => output,
        ),
      async [Symbol.asyncDispose]() {
        if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
        await exited;
      },
    };
  }

  const kubectl = (cwd: string, kubeconfig: string, ...args: string[]) =>
    run(cwd, 'kubectl', `--kubeconfig=${kubeconfig}`, ...args);

  function create(cwd: string, kubeconfig: string, spec: object): void {
    const manifest = { apiVersion: 'storage.acme.org/v1', kind: 'BackupPolicy', metadata: { name: 'first' }, spec };
    writeFileSync(join(cwd, 'first.json'), JSON.stringify(manifest));
    kubectl(cwd, kubeconfig, 'create', '-f', 'first.json');
  }

  before(async function () {
    requireKubectl(this);
    directory = mkdtempSync(join(tmpdir(), 'apichain-projects-'));
    const install = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'];
    const root = { name: 'projects', private: true };
    writeFileSync(join(directory, 'package.json'), JSON.stringify(root));
    const tarball = await packedPackage();
    const program = join(await unpackedPackage(), 'apichain/bin/apichain.js');
    for (const type of types) {
      assert.match(
        run(directory, process.execPath, program, 'init', type, type, ...names),
        /npm install\n {2}npm test\n/,
      );
      // The version is published later than it is tested.
      const file = join(directory, type, 'package.json');
      const manifest = JSON.parse(readFileSync(file, 'utf8')) as { dependencies: object };
      const dependencies = { ...manifest.dependencies, apichain: `file:${tarball}` };
      writeFileSync(file, JSON.stringify({ ...manifest, dependencies }));
    }
    // One installation for all projects.
    writeFileSync(join(directory, 'package.json'), JSON.stringify({ ...root, workspaces: types }));
    run(directory, 'npm', ...install);
  });
  after(() => {
    if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
  });

  for (const type of types)
    it(`of the type ${type} has correct types and passes its tests`, () => {
      const cwd = join(directory, type);
      run(cwd, 'npm', 'run', 'build');
      assert.match(run(cwd, 'npm', 'test'), /^\S+ pass [5-7]\n\S+ fail 0$/m);
    });

  for (const [type, spec, started, objects, expected] of [
    [
      'api',
      { class: 'large' },
      /"msg":"ready"|is available/,
      'backuppolicies,backuppolicyclasses',
      /large +1 .*large +10/s,
    ],
    [
      'operator',
      { text: 'hello' },
      /reconciles backuppolicies\.storage\.acme\.org/,
      'backuppolicies,configmaps',
      /first +hello.*configmap\/first/s,
    ],
  ] as const)
    it(`of the type ${type} runs beside a chain`, async () => {
      const cwd = join(directory, type);
      const kubeconfig = '.apichain/admin.kubeconfig';
      const flags = ['--in-process', '--memory', `--secure-port=${await freePort()}`];
      await using chain = start(cwd, 'npx', 'apichain', 'up', ...flags);
      await chain.prints(/is ready at/);
      const port = type === 'api' ? ['--', `--secure-port=${await freePort()}`] : [];
      await using program = start(cwd, 'npm', 'start', ...port);
      await program.prints(started);
      create(cwd, kubeconfig, spec);
      await waitFor(
        () => expected.test(kubectl(cwd, kubeconfig, 'get', objects)),
        15_000,
        () => kubectl(cwd, kubeconfig, 'get', objects),
      );
    });

  it('of the type control-plane runs', async () => {
    const cwd = join(directory, 'control-plane');
    await using program = start(cwd, 'npm', 'start', '--', String(await freePort()));
    await program.prints(/try: kubectl/);
    const kubeconfig = 'data/admin.kubeconfig';
    create(cwd, kubeconfig, { owner: 'jane' });
    await waitFor(
      () => /first +jane +true/.test(kubectl(cwd, kubeconfig, 'get', 'backuppolicies')),
      15_000,
      () => kubectl(cwd, kubeconfig, 'get', 'backuppolicies,namespaces'),
    );
    kubectl(cwd, kubeconfig, 'create', 'configmap', 'settings', '--namespace=first', '--as=jane');
  });
});
