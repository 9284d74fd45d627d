import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { waitFor } from './chain.ts';
import { writeFiles } from './documented-commands/page.ts';
import { freePort } from '@apichain/meta';
import { packedPackage } from './packed-package.ts';
import { requireKubectl } from './requirements.ts';
import { typeErrors } from './type-errors.ts';

/** A test as the author of an operator would write it, to check types and behaviour. */
const consumer = `
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kubeconfig, startInProcessChain } from 'apichain';
import {
  httpTransport,
  Informer,
  isStatusError,
  type KubeObject,
  loadKubeconfig,
  type ResourceReference,
  RestClient,
  WorkQueue,
} from 'apichain/client';
import { TestEnvironment } from 'apichain/envtest';
import { registerEnvtest } from 'apichain/envtest/bun';
import { startEmbeddedEtcd, type EmbeddedEtcd } from 'apichain/etcd';
import { startChain, type TestChain } from 'apichain/testing';

test('a separate chain', async () => {
  await using chain: TestChain = await startChain({ users: [{ name: 'jane', groups: ['developers'] }] });
  const url: string = chain.url;
  assert.match(url, /^https:/);
  await chain.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' } });
  const snapshot = chain.snapshot();
  await chain.restore(snapshot);
  assert.match(chain.users['jane']?.kubeconfig ?? '', /client-certificate-data/);
});

interface Tenant extends KubeObject {
  spec: { owner: string };
}
const tenants: ResourceReference<Tenant> = { group: 'example.com', version: 'v1', resource: 'tenants' };

test('a separate client', async () => {
  await using chain: TestChain = await startChain({ flags: ['--apis=minimal'], controllers: true });
  const client = new RestClient(httpTransport(loadKubeconfig(chain.kubeconfigFile)));
  const queue = new WorkQueue();
  const owners = new Informer({ client, resource: tenants }).addHandlers({ onAdd: ({ spec }) => queue.add(spec.owner) });
  assert.equal(owners.get('a')?.spec.owner, undefined);
  const failure: unknown = await client.list(tenants).catch((error: unknown) => error);
  assert.ok(isStatusError(failure, 'NotFound'));
  await client.close();
});

test('a separate etcd', async () => {
  const etcd: EmbeddedEtcd = await startEmbeddedEtcd({ memory: true });
  assert.equal(etcd.revision, 1);
  await etcd.close();
  assert.equal(typeof startInProcessChain, 'function');
  assert.equal(typeof kubeconfig, 'function');
});

test('a separate environment', async () => {
  const env = new TestEnvironment({});
  const { server, caPem } = await env.start();
  assert.match(server + caPem, /^https:.*BEGIN CERTIFICATE/s);
  await env.stop();
  assert.equal(typeof registerEnvtest, 'function');
});
`;

describe('the published package', () => {
  let directory: string;
  // Uses the Node that runs the tests, regardless of other installations.
  const env = { ...process.env, PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter) };

  function run(command: string, args: readonly string[], cwd = directory): string {
    const { status, stdout, stderr } = spawnSync(command, args, { cwd, env, encoding: 'utf8', timeout: 100_000 });
    assert.equal(status, 0, `${command} ${args.join(' ')}:\n${stdout}${stderr}`);
    return stdout;
  }

  /** Runs `npx apichain up` and waits until it reports that it is ready. */
  async function up(args: readonly string[]): Promise<{ child: ChildProcess; exited: Promise<unknown> }> {
    const port = await freePort();
    const child = spawn('npx', ['apichain', 'up', `--secure-port=${port}`, ...args], { cwd: directory, env });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
    const exited = new Promise((resolve) => child.once('exit', resolve));
    await waitFor(
      () => /is ready at/.test(output) || child.exitCode !== null,
      60_000,
      () => output,
    );
    assert.equal(child.exitCode, null, output);
    return { child, exited };
  }

  before(async function () {
    this.timeout(480_000);
    directory = mkdtempSync(join(tmpdir(), 'apichain-package-'));
    writeFileSync(join(directory, 'package.json'), '{ "name": "consumer", "private": true, "type": "module" }');
    const tarballs = [await packedPackage(), await packedPackage('create-apichain')];
    run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', ...tarballs]);
  });
  after(() => rmSync(directory, { recursive: true, force: true }));

  for (const args of [['--in-process'], []])
    it(`runs in an empty folder: npx apichain up ${args.join(' ')}`, async function () {
      this.timeout(480_000);
      requireKubectl(this);
      const { exited } = await up(args);
      const namespaces = run('kubectl', ['--kubeconfig=.apichain/admin.kubeconfig', 'get', 'namespaces', '-o', 'name']);
      assert.match(namespaces, /namespace\/default/);
      const explained = run('kubectl', ['--kubeconfig=.apichain/admin.kubeconfig', 'explain', 'pod']);
      assert.match(explained, /Pod is a collection of containers/);
      assert.doesNotMatch(run('npx', ['apichain', 'doctor']), /^FAIL/m);
      assert.match(run('npx', ['apichain', 'down']), /stopped the chain on/);
      assert.equal(await exited, 0);
    });

  it('makes projects as npm create runs it', () => {
    const create = (...args: string[]) =>
      spawnSync('npx', ['--no', '--', 'create-apichain', ...args], { cwd: directory, env, encoding: 'utf8' });
    assert.match(create('my-operator', '--kind=Backup').stdout, /^made an operator in my-operator;/);
    const text = (file: string) => readFileSync(join(directory, file), 'utf8');
    assert.match(
      text('my-operator/package.json'),
      /"name": "my-operator",[^]*"apichain": "file:.*apichain-[\d.]+\.tgz"/,
    );
    assert.match(create('api', 'my-api').stdout, /^made an extension API server in my-api;/);
    assert.match(create('--help').stdout, /^apichain init api\|operator\|control-plane/);
    const refused = create('my-operator');
    assert.deepEqual(
      [refused.status, refused.stderr],
      [1, 'apichain: my-operator is not empty: choose another folder\n'],
    );
    assert.match(create().stderr, /^apichain: which project\?/);
  });

  it('has libraries for tests and for API servers, with types', function () {
    this.timeout(480_000);
    const tests = join(directory, 'consumer.test.ts');
    writeFileSync(tests, consumer);
    const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true };
    assert.deepEqual(typeErrors([tests], { ...strict, module: 'esnext', moduleResolution: 'bundler' }), []);
    // The tutorial's options are looser.
    const servers = ['docs/extension-servers.md', 'README.md'].flatMap((document, index) =>
      writeFiles(document, join(directory, `servers-${index}`)).filter((file) => file.endsWith('.ts')),
    );
    const options = { ...strict, module: 'nodenext', allowImportingTsExtensions: true, erasableSyntaxOnly: true };
    assert.deepEqual(typeErrors([tests, ...servers], options), []);
    assert.match(run(process.execPath, ['--test', '--test-reporter=tap', tests]), /^# pass 4$/m);
  });
});
