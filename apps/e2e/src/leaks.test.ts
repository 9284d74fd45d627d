import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import https from 'node:https';
import { join } from 'node:path';
import { createCA, issueServing } from '@apichain/apiserver/certificates';
import { type Chain, startChain, waitFor } from './chain.ts';
import { call } from './http.ts';
import type { Protocol, WatchClients, WatchProgress } from './watch-clients.fixture.ts';
import { defineWidgets, widgets } from './widgets.ts';

const watchesAtOnce = 500;
/** Milliseconds after which nothing of clients that have left may be there any more. */
const goneMs = 10_000;
/**
 * A later round may take so many MiB more than the first. Three heaps grow by some 70 between collections; a watch that stays costs over 100 KiB, and
 * the counters and descriptors above tell of each single one.
 */
const memoryMargin = 160;
/** Descriptors that come and go by themselves: connections between the parts. */
const descriptorMargin = 20;

const configMaps = '/api/v1/namespaces/default/configmaps';
const fruits = '/apis/fruits.example.com/v1/fruits';

/** An extension API server with one resource to watch; it tells everybody of what it is told, and counts who listens. */
class FruitServer {
  readonly #listeners = new Set<{ write(text: string): unknown }>();
  readonly #server: https.Server;

  constructor(serving: { readonly certificate: string; readonly key: string }) {
    this.#server = https.createServer({ cert: serving.certificate, key: serving.key }, (request, response) => {
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
      response.write(`${JSON.stringify({ type: 'ADDED', object: { kind: 'Fruit', metadata: { name: 'first' } } })}\n`);
      this.#listeners.add(response);
      response.on('close', () => this.#listeners.delete(response));
    });
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
    const event = JSON.stringify({ type: 'ADDED', object: { kind: 'Fruit', metadata: { name } } });
    for (const listener of this.#listeners) listener.write(`${event}\n`);
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

const forms = { 'three services': [], 'one process': ['--in-process'] };

for (const [form, args] of Object.entries(forms))
  describe(`what clients that have left leave behind in ${form}`, () => {
    let chain: Chain;
    let extension: FruitServer;
    let clients: ChildProcess | undefined;
    let round = 0;
    /** MiB of all parts together after the first round, which loads what is needed for the first time. */
    let memoryOfFirst: number | undefined;

    const create = async (path: string, object: unknown) => {
      const { status, text } = await call(chain, 'POST', path, { body: JSON.stringify(object) });
      assert.equal(status, 201, text);
    };

    before(async function () {
      this.timeout(60_000);
      chain = await startChain({ args });
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
      extension?.close();
      await chain?.stop();
    });
    afterEach(() => clients?.kill('SIGKILL'));

    /** Requests of these clients that go on, as all services count them: the chain's own watches are of the whole cluster. */
    const longRunning = async (): Promise<number> => {
      const { text } = await call(chain, 'GET', '/metrics');
      const series = text.matchAll(
        /^apiserver_longrunning_requests\{[^}]*resource="(?:configmaps|widgets)"[^}]*scope="namespace"[^}]*\} (\d+)/gm,
      );
      return [...series].reduce((sum, [, count]) => sum + Number(count), 0);
    };
    const descriptors = (): number =>
      Object.values(chain.pids()).reduce((sum, pid) => sum + readdirSync(`/proc/${pid}/fd`).length, 0);
    /** After the start the parts still open connections of their own. */
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
    const memory = (): number =>
      Object.values(chain.pids()).reduce((sum, pid) => {
        const [, kib] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
        return sum + Number(kib) / 1024;
      }, 0);

    const protocols: readonly Protocol[] = ['HTTP/1.1', 'HTTP/2', 'WebSocket'];
    for (const protocol of protocols)
      it(`is nothing after ${watchesAtOnce} watches with events over ${protocol}`, async function () {
        this.timeout(90_000);
        const name = `event-${++round}`;
        const before = { longRunning: await longRunning(), descriptors: descriptors() };
        let progress: WatchProgress = { begun: 0, delivered: 0, ended: [] };
        clients = fork(join(import.meta.dirname, 'watch-clients.fixture.ts'));
        clients.on('message', (message: WatchProgress) => (progress = message));
        const paths = Array.from({ length: watchesAtOnce }, (_, i) => {
          const path = resourcesOver[protocol][i % resourcesOver[protocol].length] ?? configMaps;
          return `${path}?watch=true&allowWatchBookmarks=true`;
        });
        clients.send({ url: chain.url, protocol, credentials: chain.admin, paths, event: name } satisfies WatchClients);
        await waitFor(
          () => progress.begun === watchesAtOnce,
          40_000,
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
        const builtIn = paths.filter((path) => path.startsWith(configMaps)).length;
        assert.ok((await longRunning()) >= before.longRunning + builtIn, 'what goes on is counted');
        clients.send('leave');
        await new Promise((resolve) => setTimeout(resolve, 500));
        clients.kill('SIGKILL');
        const left = performance.now();
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
        memoryOfFirst ??= memory();
        await waitFor(
          () => memory() < (memoryOfFirst ?? 0) + memoryMargin,
          Math.max(1, goneMs - (performance.now() - left)),
          () => `${memory().toFixed()} MiB are taken, ${memoryOfFirst?.toFixed()} after the first round`,
        );
      });
  });

/** Extension servers are watched where the chain passes watches on to them. */
const resourcesOver: Readonly<Record<Protocol, readonly string[]>> = {
  'HTTP/1.1': [configMaps, widgets, fruits],
  'HTTP/2': [configMaps, widgets, fruits],
  WebSocket: [configMaps, widgets],
};
