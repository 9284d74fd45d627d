import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CoreV1Api, KubeConfig, makeInformer } from '@kubernetes/client-node';
import { Informer, RestClient, httpTransport, objectKey } from '@apichain/client';
import { startTestEtcd, type TestEtcd } from '@apichain/etcd-client/etcd.fixture';
import type { KubeObject } from '@apichain/meta';
import { type Chain, startChain, waitFor } from './chain.ts';
import { requireKubectl } from './requirements.ts';

const token = 'moving';
const objects = 40;
const settleMs = 30_000;
const namespace = '/api/v1/namespaces/default';

/** A port that leads to one of several servers. Open connections stay with the server that they began with. */
class Balancer {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  target = '';

  constructor() {
    this.#server = createServer((client) => this.#join(client));
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  #join(client: Socket): void {
    const upstream = connect(Number(new URL(this.target).port), '127.0.0.1');
    client.pipe(upstream).pipe(client);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.#sockets.add(socket);
      // A connection that breaks on one side breaks on the other one too.
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
  }
}

/** The versions of each object that a client has seen, in order. */
class Seen {
  readonly #versions = new Map<string, string[]>();
  readonly note = ({ metadata }: { metadata?: { name?: string; resourceVersion?: string } }): void => {
    const name = metadata?.name ?? '';
    this.#versions.set(name, [...this.of(name), metadata?.resourceVersion ?? '']);
  };
  of(name: string): readonly string[] {
    return this.#versions.get(name) ?? [];
  }
}

describe('clients whose server stops while another one serves the same etcd', function () {
  this.timeout(480_000);
  let etcd: TestEtcd;
  let dir: string;
  let balancer: Balancer;
  let url: string;
  let kubeconfig: string;
  const chains = new Map<string, Chain>();

  before(async function () {
    requireKubectl(this);
    etcd = await startTestEtcd();
    dir = mkdtempSync(join(tmpdir(), 'apichain-moving-'));
    writeFileSync(join(dir, 'tokens.csv'), `${token},mover,mover,"system:masters"\n`);
    balancer = new Balancer();
    url = await balancer.listen();
    kubeconfig = join(dir, 'kubeconfig');
    writeFileSync(kubeconfig, JSON.stringify(configOf(url)));
    await start('in one process');
    await start('three services');
  });
  after(async () => {
    for (const chain of chains.values()) await chain.stop();
    balancer?.close();
    await etcd?.close();
    rmSync(dir, { recursive: true, force: true });
  });

  const start = async (name: string): Promise<void> => {
    const args = [`--etcd-servers=${etcd.url}`, `--token-auth-file=${join(dir, 'tokens.csv')}`, '--controllers=-*'];
    if (name === 'in one process') args.push('--in-process');
    chains.set(name, await startChain({ args }));
  };
  const urlOf = (name: string): string => chains.get(name)?.url ?? '';
  const clientAt = (server: string) =>
    new RestClient(httpTransport({ url: server, token, insecureSkipTlsVerify: true }));

  for (const [first, second] of [
    ['in one process', 'three services'],
    ['three services', 'in one process'],
  ] as const) {
    it(`go on at the other one, with every change once and in order, when the first is ${first}`, async () => {
      const label = first.replaceAll(' ', '-');
      balancer.target = urlOf(first);
      const writer = clientAt(urlOf(second));
      const written = new Map<string, string[]>();
      const write = async (name: string, data: string) => {
        const body = { metadata: { name, labels: { of: label } }, data: { key: data } };
        const created = data === 'first';
        const object = await writer.request(
          created ? 'POST' : 'PUT',
          created ? `${namespace}/configmaps` : `${namespace}/configmaps/${name}`,
          undefined,
          { apiVersion: 'v1', kind: 'ConfigMap', ...body },
        );
        const { metadata } = object as KubeObject;
        written.set(name, [...(written.get(name) ?? []), metadata.resourceVersion ?? '']);
      };
      const writeAll = async (data: string) => {
        for (let index = 0; index < objects; index++) await write(`${label}-${index}`, data);
      };
      const names = () => [...written.keys()];
      await write(`${label}-0`, 'first');

      const own = new Seen();
      const client = clientAt(url);
      const informer = new Informer({
        client,
        resource: { group: '', version: 'v1', resource: 'configmaps', namespace: 'default' },
        labelSelector: `of=${label}`,
      });
      informer.addHandlers({ onAdd: own.note, onUpdate: own.note }).start();
      const node = new Seen();
      const nodeInformer = clientNodeInformer(`of=${label}`, node);
      await nodeInformer.start();
      await informer.waitForSync();
      for (let index = 1; index < objects; index++) await write(`${label}-${index}`, 'first');
      const kubectl = (...args: string[]) => startKubectl(kubeconfig, args);
      const waiting = kubectl(
        'wait',
        '--for=jsonpath={.data.key}=last',
        `configmap/${label}-${objects - 1}`,
        '--timeout=120s',
      );
      const watching = kubectl(
        'get',
        'configmaps',
        `-lof=${label}`,
        '--watch',
        '-o',
        'jsonpath={.metadata.name} {.metadata.resourceVersion}{"\\n"}',
      );

      await waitFor(() => watching.output().trim().split('\n').length >= objects, settleMs, watching.output);
      const sawAll = (seen: Seen) => names().every((name) => seen.of(name).at(-1) === written.get(name)?.at(-1));
      const missing = (seen: Seen) => () =>
        `not seen: ${names()
          .filter((name) => seen.of(name).at(-1) !== written.get(name)?.at(-1))
          .join()}`;
      await waitFor(() => sawAll(own) && sawAll(node), settleMs, missing(own));
      // The server ends in the middle of these writes, and nobody repeats one.
      const writing = writeAll('middle');
      await waitFor(
        () => written.get(`${label}-5`)?.length === 2,
        settleMs,
        () => 'no writes',
      );
      balancer.target = urlOf(second);
      assert.equal(await chains.get(first)?.stop(), 0);
      chains.delete(first);
      await writing;
      await writeAll('last');

      for (const seen of [own, node]) {
        await waitFor(() => sawAll(seen), settleMs, missing(seen));
        for (const name of names()) assert.deepEqual(seen.of(name), written.get(name), name);
      }
      assert.equal(await waiting.exit, 0, waiting.output());
      // kubectl get --watch follows one watch, and ends with it. It has seen everything up to then.
      assert.equal(await watching.exit, 0, watching.output());
      const printed = watching.output().trim().split('\n');
      for (const [name, [version]] of written) assert.ok(printed.includes(`${name} ${version}`), watching.output());
      assert.deepEqual(
        informer.list().map(objectKey).sort(),
        names()
          .map((name) => `default/${name}`)
          .sort(),
      );
      await informer.stop();
      await nodeInformer.stop();
      await client.close();
      await writer.close();
      await start(first);
    });
  }

  function clientNodeInformer(labelSelector: string, seen: Seen) {
    const config = new KubeConfig();
    config.loadFromFile(kubeconfig);
    const api = config.makeApiClient(CoreV1Api);
    const informer = makeInformer(
      config,
      `${namespace}/configmaps`,
      () => api.listNamespacedConfigMap({ namespace: 'default', labelSelector }),
      labelSelector,
    );
    informer.on('add', seen.note);
    informer.on('update', seen.note);
    // The documented way to go on after a connection that broke.
    informer.on('error', () => void setTimeout(() => void informer.start(), 100));
    return informer;
  }
});

const configOf = (server: string) => ({
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'moving',
  clusters: [{ name: 'moving', cluster: { server, 'insecure-skip-tls-verify': true } }],
  users: [{ name: 'moving', user: { token } }],
  contexts: [{ name: 'moving', context: { cluster: 'moving', user: 'moving', namespace: 'default' } }],
});

function startKubectl(kubeconfig: string, args: readonly string[]) {
  const child = spawn('kubectl', [`--kubeconfig=${kubeconfig}`, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const exit = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { exit, output: () => output };
}
