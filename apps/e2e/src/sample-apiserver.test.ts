import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect as connectTcp, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { httpTransport, loadKubeconfig, RestClient } from '@apichain/client';
import { startEmbeddedEtcd } from '@apichain/embedded-etcd';
import { freePort, isStatusError, type KubeObject } from '@apichain/meta';
import { Accounts, namespace } from './accounts.ts';
import { repository, startChain, waitFor, type Chain } from './chain.ts';
import { call } from './http.ts';

const group = 'wardle.example.com';
const v1beta1 = { group, version: 'v1beta1', resource: 'flunders', namespace: 'default' };
const v1alpha1 = { ...v1beta1, version: 'v1alpha1' };
const fischers = { group, version: 'v1alpha1', resource: 'fischers' };
const flunder = (name: string, spec = {}): KubeObject => ({
  ...{ apiVersion: `${group}/v1beta1`, kind: 'Flunder', metadata: { name }, spec },
});

/** The sample API server as a process. */
class Sample {
  readonly #child: ChildProcess;
  readonly ended: Promise<number | null>;
  output = '';

  constructor(args: readonly string[]) {
    const program = join(repository, 'apps/sample-apiserver/src/main.ts');
    this.#child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', (chunk: Buffer) => (this.output += chunk.toString('utf8')));
    this.ended = new Promise((resolve) => this.#child.once('close', resolve));
  }

  async stop(): Promise<number | null> {
    this.#child.kill('SIGTERM');
    return this.ended;
  }
}

const kubeconfigFlags = (file: string): string[] =>
  ['', 'authentication-', 'authorization-'].map((use) => `--${use}kubeconfig=${file}`);

describe('apps/sample-apiserver', function () {
  this.timeout(480_000);
  const directory = mkdtempSync(join(tmpdir(), 'apichain-sample-'));
  const started: Sample[] = [];
  let chain: Chain;
  let client: RestClient;
  let sample: Sample;
  let port: number;

  const start = (...args: readonly string[]): Sample => {
    const one = new Sample([...kubeconfigFlags(chain.kubeconfig), '--bind-address=127.0.0.1', ...args]);
    started.push(one);
    return one;
  };
  const startSample = (): Sample =>
    start(`--secure-port=${port}`, `--data-dir=${join(directory, 'data')}`, '--register');
  /** Whether both versions are served. */
  const isServed = async (): Promise<boolean> => {
    try {
      await Promise.all([client.list(v1beta1), client.list(v1alpha1)]);
      return true;
    } catch (error) {
      if (!isStatusError(error)) throw error;
      return false;
    }
  };
  const served = () => waitFor(isServed, 30_000, () => started.map(({ output }) => output).join('\n'));
  const certificateOf = (at: number): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect({ port: at, host: '127.0.0.1', rejectUnauthorized: false }, () => {
        resolve(socket.getPeerCertificate().fingerprint256);
        socket.destroy();
      });
      socket.once('error', reject);
    });

  before(async () => {
    chain = await startChain({ args: ['--in-process', '--memory', '--authorization-mode=RBAC'] });
    client = new RestClient(httpTransport(loadKubeconfig(chain.kubeconfig)));
    port = await freePort();
    sample = startSample();
    await served();
  });
  after(async () => {
    await Promise.all(started.map((one) => one.stop()));
    await client.close();
    await chain.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  it('stores flunders, in both versions', async () => {
    const made = await client.create(v1alpha1, {
      ...flunder('both'),
      apiVersion: `${group}/v1alpha1`,
      spec: { reference: 'other', referenceType: 'Fischer' },
    });
    assert.deepEqual(made.spec, { reference: 'other', referenceType: 'Fischer' });
    const { spec } = await client.get(v1beta1, 'both');
    assert.deepEqual(spec, { fischerReference: 'other', referenceType: 'Fischer' });
    await client.patch(v1beta1, 'both', 'merge', { status: {} }, { subresource: 'status' });
    await client.delete(v1beta1, 'both');
    await assert.rejects(client.get(v1alpha1, 'both'), { reason: 'NotFound' });
  });

  it('refuses flunders that a fischer disallows', async () => {
    const fischer = { apiVersion: `${group}/v1alpha1`, kind: 'Fischer', metadata: { name: 'one' } };
    await client.create(fischers, { ...fischer, disallowedFlunders: ['banned'] });
    await assert.rejects(client.create(v1beta1, flunder('banned')), {
      reason: 'Forbidden',
      message: `flunders.${group} "banned" is forbidden: this name may not be used, please change the resource name`,
    });
  });

  it('names the user that RBAC of the core API refuses', async () => {
    const accounts = new Accounts(() => chain);
    await accounts.make('/api/v1/namespaces', { metadata: { name: namespace } });
    const reader = await accounts.account('reader', { apiGroups: [group], resources: ['flunders'], verbs: ['list'] });
    const path = `/apis/${group}/v1beta1/namespaces/default/flunders`;
    assert.equal((await reader.send('GET', path)).status, 200);
    const denied = await reader.send('POST', path, { ...flunder('mine') });
    assert.equal(denied.status, 403);
    assert.match(denied.text, /User \\"system:serviceaccount:team:reader\\" cannot create resource \\"flunders\\"/);
  });

  it('is watched through the aggregator', async () => {
    const abort = new AbortController();
    const { metadata } = await client.list(v1beta1);
    const seen: string[] = [];
    const watching = (async () => {
      const query = { resourceVersion: metadata.resourceVersion };
      for await (const event of client.watch(v1beta1, query, abort.signal)) {
        if (event.type === 'ERROR') assert.fail(event.object.message);
        seen.push(`${event.type} ${event.object.metadata.name}`);
        if (seen.length === 2) return;
      }
    })();
    await client.create(v1beta1, flunder('watched'));
    await client.delete(v1beta1, 'watched');
    await watching;
    abort.abort();
    assert.deepEqual(seen, ['ADDED watched', 'DELETED watched']);
  });

  it('keeps its objects and its certificate when it is started again', async () => {
    const made = await client.create(v1beta1, flunder('kept', { flunderReference: 'a' }));
    const certificate = await certificateOf(port);
    assert.equal(await sample.stop(), 0, sample.output);
    sample = startSample();
    await served();
    assert.deepEqual(await client.get(v1beta1, 'kept'), made);
    assert.equal(await certificateOf(port), certificate);
  });

  it('does not start with two stores, or without a core API', async () => {
    const fails = async (flags: readonly string[], message: RegExp) => {
      const one = new Sample(flags);
      assert.equal(await one.ended, 1, one.output);
      assert.match(one.output, message);
      assert.equal(one.output.trimEnd().split('\n').length, 1, one.output);
    };
    const kubeconfigs = kubeconfigFlags(chain.kubeconfig);
    const two = ['--memory', '--etcd-servers=http://127.0.0.1:1', '--secure-port=0'];
    await fails([...kubeconfigs, ...two], /--etcd-servers, --data-dir and --memory exclude each other/);
    const missing = kubeconfigFlags(join(directory, 'missing'));
    await fails([...missing, '--memory', '--secure-port=0'], /kubeconfig: .*missing/);
  });

  it('runs in two replicas on one etcd behind one Service', async () => {
    await sample.stop();
    const etcd = await startEmbeddedEtcd({ inProcess: true, memory: true });
    const ports = [await freePort(), await freePort()];
    // Connections go to the replicas in turn, as those to a Service.
    let connections = 0;
    const service = createServer((incoming) => {
      const outgoing = connectTcp(ports[connections++ % ports.length] ?? 0, '127.0.0.1');
      for (const [from, to] of [
        [incoming, outgoing],
        [outgoing, incoming],
      ] as const)
        from.pipe(to).once('error', () => from.destroy());
      incoming.once('close', () => outgoing.destroy());
      outgoing.once('close', () => incoming.destroy());
    });
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
    const { port: servicePort } = service.address() as AddressInfo;
    const made = await call(chain, 'POST', '/api/v1/namespaces/default/services', {
      body: JSON.stringify({
        metadata: { name: 'replicas' },
        spec: { type: 'ExternalName', externalName: '127.0.0.1', ports: [{ port: servicePort }] },
      }),
    });
    assert.equal(made.status, 201, made.text);
    const replicas = ports.map((own, index) =>
      start(
        ...[`--secure-port=${own}`, `--etcd-servers=${etcd.url}`, '--register', '--cert-secret'],
        ...[`--register-service=default/replicas:${servicePort}`, `--cert-dir=${join(directory, `replica-${index}`)}`],
        '--register-force',
      ),
    );
    const direct = ports.map((own) => {
      const config = loadKubeconfig(chain.kubeconfig);
      return new RestClient(httpTransport({ ...config, url: `https://127.0.0.1:${own}`, insecureSkipTlsVerify: true }));
    });
    try {
      await waitFor(
        async () =>
          (await Promise.all(direct.map((one) => one.list(v1beta1).then(Boolean, () => false)))).every(Boolean),
        30_000,
        () => replicas.map(({ output }) => output).join('\n'),
      );
      await served();
      await client.create(v1beta1, flunder('shared'));
      for (const one of direct) assert.equal((await one.get(v1beta1, 'shared')).metadata.name, 'shared');
      await replicas[0]?.stop();
      await served();
      assert.equal((await client.get(v1beta1, 'shared')).metadata.name, 'shared');
    } finally {
      await Promise.all([...replicas.map((one) => one.stop()), ...direct.map((one) => one.close())]);
      service.close();
      await etcd.close();
    }
  });

  it('leaves nothing behind when it is stopped while it registers itself', async () => {
    const one = start(
      ...[`--secure-port=${port}`, '--memory', '--register', '--unregister-on-exit', '--register-force'],
      `--cert-dir=${join(directory, 'unregistered')}`,
    );
    await waitFor(
      () => /registered with the core API/.test(one.output),
      30_000,
      () => one.output,
    );
    assert.equal(await one.stop(), 0, one.output);
    const apiServices = { group: 'apiregistration.k8s.io', version: 'v1', resource: 'apiservices' };
    const { items } = await client.list(apiServices, { labelSelector: 'app.kubernetes.io/name=wardle' });
    assert.deepEqual(
      items.map(({ metadata }) => metadata.name),
      [],
    );
  });
});
