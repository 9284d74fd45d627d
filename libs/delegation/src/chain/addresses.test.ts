import assert from 'node:assert/strict';
import { once } from 'node:events';
import http, { type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { noQuery, attachScope, RequestScope, ServerRuntime } from '@apichain/request';
import { until } from '@apichain/meta/until.fixture';
import { plainAgent } from '../proxy/target-agent.ts';
import { NextAddresses, SilentServerError, type AddressProbe } from './addresses.ts';
import { HttpDelegationTarget } from './http.ts';

const [first, second] = ['127.0.0.1', '127.0.0.2'];
const both = [first, second].map((address) => ({ address, family: 4 }));
/** As many looks as it takes until an address that sends nothing is silent. */
const looks = 5;

const never: AddressProbe = () => new Promise(() => undefined);

describe('the addresses of the next server', () => {
  const servers: http.Server[] = [];
  /** The addresses whose servers accept requests, and do not respond. */
  const silent = new Set<string>();
  let port = 0;

  /** A server at each address, which responds with the address. */
  before(async () => {
    const respond: RequestListener = ({ socket }, response) => {
      if (!silent.has(socket.localAddress ?? '')) response.end(socket.localAddress);
    };
    for (const { address } of both) {
      const server = http.createServer(respond).listen(port, address);
      await once(server, 'listening');
      ({ port } = server.address() as AddressInfo);
      servers.push(server);
    }
  });
  afterEach(() => silent.clear());
  after(() => {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  });

  function start(sendProbe: AddressProbe, found = both) {
    const addresses = new NextAddresses(sendProbe, () => Promise.resolve(found));
    const agent = plainAgent({ maxSockets: 8, maxFreeSockets: 8, addresses });
    const ask = () =>
      new Promise<string>((resolve, reject) => {
        const request = http.get({ host: 'next.internal', port, agent }, (response) =>
          response.setEncoding('utf8').once('data', resolve),
        );
        request.once('error', reject);
      });
    const look = (times: number) => {
      for (let i = 0; i < times; i++) addresses.look();
    };
    const end = () => {
      agent.destroy();
      addresses.close();
    };
    return { ask, look, end };
  }

  it('get new connections in turn', async () => {
    const { ask, end } = start(never);
    const answers = await Promise.all([ask(), ask(), ask(), ask()]);
    assert.deepEqual(answers.sort(), [first, first, second, second]);
    end();
  });

  it('are given up when nothing arrives from them, and used again when they respond', async () => {
    const probes = new Map<string, () => void>();
    const { ask, look, end } = start((address) => new Promise((resolve) => probes.set(address, resolve)));
    await Promise.all([ask(), ask()]);
    look(1);
    silent.add(second);
    const waiting = [ask(), ask(), ask(), ask()].map((answer) => answer.catch((error: unknown) => error));
    await until(() => probes.size === 0);
    for (let i = 0; i < looks; i++) {
      look(1);
      assert.equal(await ask().catch(() => 'given up'), first);
    }
    const results = await Promise.all(waiting);
    assert.equal(results.filter((result) => result === first).length, 2);
    assert.equal(results.filter((result) => result instanceof SilentServerError).length, 2);
    assert.deepEqual(await Promise.all(Array.from({ length: 4 }, ask)), [first, first, first, first]);
    silent.clear();
    probes.get(second)?.();
    await until(async () => (await Promise.all([ask(), ask(), ask(), ask(), ask(), ask()])).includes(second));
    end();
  });

  it('are kept when they respond to probes, however long a request takes', async () => {
    const { ask, look, end } = start(() => Promise.resolve());
    await Promise.all([ask(), ask()]);
    silent.add(first).add(second);
    let failed = false;
    const waiting = Promise.all([ask(), ask()]).catch(() => (failed = true));
    for (let i = 0; i < 4 * looks; i++) {
      look(1);
      await Promise.resolve();
    }
    assert.equal(failed, false);
    end();
    await waiting;
  });

  it('are not looked at by a process that is too busy to do so in time', () => {
    const addresses = new NextAddresses(never);
    const times = [10_000, 10_500, 11_000, 12_000, 12_500, 60_000, 60_600];
    const looked = times.map((now) => addresses.lookInTime(now));
    assert.deepEqual(looked, [false, true, true, false, true, false, true]);
  });

  it('are not given up when no other one responds', async () => {
    for (const found of [both.slice(0, 1), both]) {
      const { ask, look, end } = start(never, found);
      await Promise.all(found.map(ask));
      look(1);
      for (const { address } of found) silent.add(address);
      let failures = 0;
      const waiting = found.map((_) => ask().catch(() => failures++));
      look(4 * looks);
      await new Promise((resolve) => setImmediate(resolve));
      assert.equal(failures, found.length - 1, 'the last one is kept');
      end();
      await Promise.all(waiting);
      silent.clear();
    }
  });

  for (const [method, outcome] of [
    ['GET', 'are repeated at another one'],
    ['POST', 'end with 503'],
  ] as const)
    it(`that have gone silent: requests of ${method} ${outcome}`, async () => {
      const resolve = () => Promise.resolve(both);
      const target = new HttpDelegationTarget({ url: `http://next.internal:${port}`, resolve });
      const front = http.createServer((request, response) => {
        attachScope(new RequestScope(request, response, request.url ?? '/', noQuery, new ServerRuntime()));
        target.handle(request, response);
      });
      front.listen(0, first);
      await once(front, 'listening');
      const url = `http://${first}:${(front.address() as AddressInfo).port}/`;
      const ask = async () => {
        const response = await fetch(url, { method });
        return [response.status, await response.text()] as const;
      };
      // A connection to each.
      await Promise.all([ask(), ask()]);
      silent.add(second);
      const answers = await Promise.all([ask(), ask(), ask(), ask()]);
      const lost = answers.filter(([, text]) => text !== first);
      assert.equal(lost.length > 0, method === 'POST', JSON.stringify(answers));
      for (const [status, text] of lost) assert.match(`${status} ${text}`, /^503 .*127\.0\.0\.2 does not respond/s);
      target.close();
      front.closeAllConnections();
      front.close();
    }).timeout(60_000);
});
