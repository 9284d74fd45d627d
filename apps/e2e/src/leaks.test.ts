import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { createCA, issueServing, type CertificatePair } from '@apichain/serving/certificates';
import { WebSocketServer } from 'ws';
import { type Chain, startChain, waitFor } from './chain.ts';
import { CollectedHeaps, inspectable } from './collected-heap.ts';
import { call, type CallOptions } from './http.ts';
import type { Protocol, WatchClients, WatchProgress } from './watch-clients.fixture.ts';
import { defineWidgets, widgets } from './definitions.ts';

const watchesAtOnce = 300;
/** Milliseconds after which all resources of disconnected clients must be released. */
const goneMs = 10_000;
/** The number of bytes that a process may additionally reference for each watch that has ended. A leaked watch takes at least as much. */
const bytesOfWatch = 4 << 10;
/** Descriptors that are opened and closed independently of clients: connections between the parts. */
const descriptorMargin = 20;

const configMaps = '/api/v1/namespaces/default/configmaps';
const fruits = '/apis/fruits.example.com/v1/fruits';

const eventOf = (name: string): string =>
  `${JSON.stringify({ type: 'ADDED', object: { kind: 'Fruit', metadata: { name } } })}\n`;

/**
 * An extension API server with one resource that can be watched, over WebSockets too. It sends each event to all watchers and counts the
 * watchers.
 */
class FruitServer {
  readonly #listeners = new Set<{ write(text: string): unknown }>();
  readonly #server: https.Server;
  readonly #webSockets = new WebSocketServer({ noServer: true });

  constructor(serving: CertificatePair) {
    const options = { cert: serving.certificate, key: serving.key, maxHeaderSize: 2 << 20 };
    this.#server = https.createServer(options, (request, response) => {
      const url = new URL(request.url ?? '/', 'https://localhost');
      response.setHeader('content-type', 'application/json');
      if (!url.searchParams.has('watch')) {
        const found = url.pathname === '/apis/fruits.example.com/v1';
        response.writeHead(found ? 200 : 404);
        const list = {
          kind: 'APIResourceList',
          apiVersion: 'v1',
          groupVersion: 'fruits.example.com/v1',
          resources: [],
        };
        response.end(JSON.stringify(found ? list : { kind: 'Status', code: 404 }));
        return;
      }
      response.write(eventOf('first'));
      this.#listeners.add(response);
      response.on('close', () => this.#listeners.delete(response));
    });
    this.#server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) =>
      this.#webSockets.handleUpgrade(request, socket, head, (webSocket) => {
        const listener = { write: (text: string) => webSocket.send(text) };
        listener.write(eventOf('first'));
        this.#listeners.add(listener);
        webSocket.on('error', () => webSocket.terminate());
        webSocket.on('close', () => this.#listeners.delete(listener));
      }),
    );
  }

  get listening(): number {
    return this.#listeners.size;
  }

  async listen(): Promise<number> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  tell(name: string): void {
    const event = eventOf(name);
    for (const listener of this.#listeners) listener.write(event);
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

const large = 'x'.repeat(900_000);

/** Requests with heads of nearly a MiB, the limit. Caches must not keep what clients choose, nor a short part of it, which would keep all of it. */
const largeHeads: readonly ((of: string) => readonly [path: string, options: CallOptions])[] = [
  (of) => [`/${of}/${large}`, { admin: false }],
  (of) => [`/apis/${of}/${large}`, {}],
  (of) => [`/openapi/v3/apis/${of}/${large}`, {}],
  (of) => [`/api/v1/namespaces/${of}/configmaps/${large}`, { admin: false }],
  (of) => [`/api/v1/namespaces/${of}/configmaps/${large}`, {}],
  (of) => [`/apis/example.com/v1/namespaces/${of}/widgets/${large}`, {}],
  (of) => [`${fruits}/${of}/${large}`, {}],
  (of) => [`/api/v1/namespaces/${of}/configmaps?fieldSelector=metadata.name=${large}`, {}],
  (of) => [`/apis/example.com/v1/namespaces/${of}/widgets?labelSelector=${large}`, { admin: false }],
  (of) => ['/version', { headers: { [`x-${of}-${large}`]: '1' } }],
  (of) => [configMaps, { headers: { 'user-agent': `${of} ${large}` } }],
  (of) => [configMaps, { headers: { authorization: `Bearer ${of}${large}` }, admin: false }],
  (of) => [configMaps, { headers: { 'impersonate-user': `${of} ${large}` } }],
];

const forms = { 'three services': [], 'one process': ['--in-process'] };

for (const [form, args] of Object.entries(forms))
  describe(`memory and handles after clients disconnect, in ${form}`, () => {
    let chain: Chain;
    let extension: FruitServer;
    let clients: ChildProcess | undefined;
    let round = 0;
    let heaps: CollectedHeaps | undefined;

    const create = async (path: string, object: unknown) => {
      const { status, text } = await call(chain, 'POST', path, { body: JSON.stringify(object) });
      assert.equal(status, 201, text);
    };

    before(async function () {
      this.timeout(480_000);
      chain = await startChain({ args, env: inspectable });
      heaps = await CollectedHeaps.open(chain);
      const ca = await createCA('fruit-ca');
      extension = new FruitServer(await issueServing(ca, 'fruits', ['fruits.default.svc']));
      const port = await extension.listen();
      await defineWidgets(chain);
      const services = '/api/v1/namespaces/default/services';
      await create(services, {
        metadata: { name: 'fruits' },
        spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ port }] },
      });
      await create('/apis/apiregistration.k8s.io/v1/apiservices', {
        metadata: { name: 'v1.fruits.example.com' },
        spec: {
          group: 'fruits.example.com',
          version: 'v1',
          groupPriorityMinimum: 1000,
          versionPriority: 15,
          caBundle: Buffer.from(ca.certificate).toString('base64'),
          service: { namespace: 'default', name: 'fruits', port },
        },
      });
      await create(configMaps, { metadata: { name: 'first' } });
      await create(widgets, { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'first' } });
      await waitFor(
        async () => (await call(chain, 'GET', '/apis/fruits.example.com/v1')).status === 200,
        20_000,
        () => 'the extension server is not reached',
      );
      await settled();
    });
    after(async () => {
      heaps?.close();
      extension?.close();
      await chain?.stop();
    });
    afterEach(() => clients?.kill('SIGKILL'));

    /**
     * The long-running requests of these clients, summed over all services. The chain's own watches are not counted, because they are
     * cluster-wide.
     */
    const longRunning = async (): Promise<number> => {
      const { text } = await call(chain, 'GET', '/metrics');
      const series = text.matchAll(
        /^apiserver_longrunning_requests\{[^}]*resource="(?:configmaps|widgets)"[^}]*scope="namespace"[^}]*\} (\d+)/gm,
      );
      return [...series].reduce((sum, [, count]) => sum + Number(count), 0);
    };
    const descriptors = (): number =>
      Object.values(chain.pids()).reduce((sum, pid) => sum + readdirSync(`/proc/${pid}/fd`).length, 0);
    /** Waits until the parts have opened all their own connections after the start. */
    const settled = async (): Promise<void> => {
      let last = -1;
      let calm = 0;
      await waitFor(
        () => {
          const now = descriptors();
          calm = now === last ? calm + 1 : 0;
          last = now;
          return calm >= 40;
        },
        30_000,
        () => `there are still new descriptors: ${last}`,
      );
    };

    /** Clients watch, receive an event and disconnect. Then all countable resources must be released. */
    const watchAndLeave = async (protocol: Protocol): Promise<void> => {
      const name = `event-${++round}`;
      const before = { longRunning: await longRunning(), descriptors: descriptors() };
      let progress: WatchProgress = { begun: 0, delivered: 0, ended: [] };
      clients = fork(join(import.meta.dirname, 'watch-clients.fixture.ts'));
      clients.on('message', (message: WatchProgress) => (progress = message));
      const resources = [configMaps, widgets, fruits];
      const paths = Array.from(
        { length: watchesAtOnce },
        (_, i) => `${resources[i % resources.length] ?? ''}?watch=true&allowWatchBookmarks=true`,
      );
      clients.send({ url: chain.url, protocol, credentials: chain.admin, paths, event: name } satisfies WatchClients);
      await waitFor(
        () => progress.begun === watchesAtOnce,
        240_000,
        () => `${progress.begun} watches have begun`,
      );
      await create(configMaps, { metadata: { name } });
      await create(widgets, { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name } });
      extension.tell(name);
      await waitFor(
        () => progress.delivered === watchesAtOnce,
        20_000,
        () => `${progress.delivered} watches had the event; ${progress.ended.join('; ')}`,
      );
      // Watches of the extension server are counted by that server.
      const counted = paths.filter((path) => !path.startsWith(fruits)).length;
      assert.equal(await longRunning(), before.longRunning + counted, 'what goes on is counted');
      clients.send('leave');
      await new Promise((resolve) => setTimeout(resolve, 500));
      clients.kill('SIGKILL');
      const state = async () => ({ longRunning: await longRunning(), descriptors: descriptors() });
      let after = await state();
      await waitFor(
        async () => {
          after = await state();
          const isGone = after.longRunning <= before.longRunning && extension.listening === 0;
          return isGone && after.descriptors <= before.descriptors + descriptorMargin;
        },
        goneMs,
        () => JSON.stringify({ before, after, atExtension: extension.listening }),
      );
    };

    /**
     * Does something that must leave nothing behind until the memory of no part grows by `bound` bytes. A leak grows each time. What else grows, such as compiled
     * code, does so at times that depend on the machine, but not each of four times. The first time loads modules and fills caches.
     */
    const leavesNothing = async (bound: number, act: (time: number) => Promise<void>): Promise<void> => {
      await act(0);
      let before = await heaps?.used();
      assert.ok(before !== undefined && before.size > 0);
      const measured: string[] = [];
      for (let time = 1; time <= 4; time++) {
        await act(time);
        const after = await heaps?.used();
        const grown = [...(after ?? [])].map(([part, bytes]) => [part, bytes - (before?.get(part) ?? 0)] as const);
        const most = grown.reduce((one, other) => (other[1] > one[1] ? other : one));
        if (most[1] < bound) return;
        measured.push(`${most[0]} refers to ${most[1]} more bytes`);
        before = after;
      }
      assert.fail(measured.join(', '));
    };

    it('are released after requests with large heads', async function () {
      this.timeout(480_000);
      const rounds = 6;
      const sendAll = async (of: string) => {
        for (const head of largeHeads) {
          const [path, options] = head(`chosen-by-the-client-${of}`);
          const { status } = await call(chain, 'GET', path, options);
          assert.ok(status < 500, `${status} for ${path.slice(0, 60)}`);
        }
      };
      await leavesNothing((rounds * large.length) / 2, async (time) => {
        for (let at = 0; at < rounds; at++) await sendAll(`${time}-${at}`);
      });
    });

    const protocols: readonly Protocol[] = ['HTTP/1.1', 'HTTP/2', 'WebSocket'];
    for (const protocol of protocols)
      it(`are released after ${watchesAtOnce} watches with events over ${protocol}`, async function () {
        this.timeout(600_000);
        await leavesNothing(watchesAtOnce * bytesOfWatch, () => watchAndLeave(protocol));
      });
  });
