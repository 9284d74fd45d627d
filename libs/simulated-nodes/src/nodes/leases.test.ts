import assert from 'node:assert/strict';
import { RestClient, type Transport, type TransportRequest } from '@apichain/client';
import { newAlreadyExists, newNotFound, StatusError, withClock } from '@apichain/meta';
import { ManualClock } from '../stages/server.fixture.ts';
import { Leases } from './leases.ts';

const group = { group: 'coordination.k8s.io', resource: 'leases' };

/** Returns the next response for each request: an object, or an error. A request beyond them echoes its body. */
class Responses implements Transport {
  readonly requests: TransportRequest[] = [];
  readonly responses: (object | StatusError)[];
  #waiting: (() => void)[] = [];

  constructor(...responses: (object | StatusError)[]) {
    this.responses = responses;
  }

  /** The methods of the first requests, once there are so many. */
  async methods(count: number): Promise<string[]> {
    while (this.requests.length < count) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.requests.map(({ method }) => method);
  }

  async send(request: TransportRequest) {
    this.requests.push(request);
    for (const waiter of this.#waiting.splice(0)) waiter();
    const response = this.responses.shift() ?? (JSON.parse(String(request.body)) as object);
    const [status, value] = response instanceof StatusError ? [response.code, response.status] : [200, response];
    async function* body() {
      yield Buffer.from(JSON.stringify(value));
    }
    return { status, headers: {}, body: Object.assign(body(), { dump: async () => undefined }) };
  }

  async close(): Promise<void> {
    // There is nothing to close.
  }
}

describe('the leases of simulated nodes', () => {
  let clock: ManualClock;
  let stop: AbortController;
  let running: Promise<void>;
  let isDown: boolean;
  beforeEach(() => {
    clock = new ManualClock();
    stop = new AbortController();
    isDown = false;
  });
  afterEach(async () => {
    stop.abort();
    await running;
  });

  const hold = (server: Transport) =>
    withClock(clock, () => {
      const client = new RestClient(server);
      const log = {
        info: () => undefined,
        error: (line: string, fields?: object) => assert.fail(`${line} ${JSON.stringify(fields)}`),
      };
      const leases = new Leases((name) => (isDown ? undefined : { name, uid: 'uid', client }), 40, log);
      running = leases.run(stop.signal, 2);
      leases.hold('node-1');
      return leases;
    });

  it('are created, and renewed every ten seconds', async () => {
    const server = new Responses();
    hold(server);
    const first = await clock.nextDelay();
    assert.ok(first >= 1_000 && first <= 10_000, `${first}`);
    clock.advance(first);
    await server.methods(2);
    const second = await clock.nextDelay();
    assert.equal(second, 10_000);
    const [created, renewed] = server.requests.map(({ body }) => JSON.parse(String(body)) as { spec: object });
    assert.deepEqual(created, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: {
        name: 'node-1',
        namespace: 'kube-node-lease',
        ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'node-1', uid: 'uid' }],
      },
      spec: { holderIdentity: 'node-1', leaseDurationSeconds: 40, renewTime: '2026-01-01T00:00:00.000000Z' },
    });
    assert.notDeepEqual(renewed?.spec, created?.spec);
    assert.deepEqual(await server.methods(2), ['POST', 'PUT']);
  });

  it('are renewed together with those of other nodes: at whole seconds', async () => {
    clock.advance(345);
    const server = new Responses();
    hold(server);
    const first = await clock.nextDelay();
    assert.equal((345 + first) % 1_000, 0, `${first}`);
    clock.advance(first + 120);
    await server.methods(2);
    assert.equal(await clock.nextDelay(), 9_880);
  });

  it('are taken over when they exist, and made again when they are gone', async () => {
    const existing = { kind: 'Lease', metadata: { name: 'node-1', resourceVersion: '7' }, spec: {} };
    const server = new Responses(newAlreadyExists(group, 'node-1'), existing);
    hold(server);
    const taken = await clock.nextDelay();
    assert.deepEqual(await server.methods(3), ['POST', 'GET', 'PUT']);
    server.responses.push(newNotFound(group, 'node-1'));
    clock.advance(taken);
    await server.methods(4);
    clock.advance(await clock.nextDelay());
    assert.deepEqual(await server.methods(5), ['POST', 'GET', 'PUT', 'PUT', 'POST']);
  });

  it('are not renewed while their node is down', async () => {
    const server = new Responses();
    const leases = hold(server);
    const delay = await clock.nextDelay();
    isDown = true;
    clock.advance(delay);
    isDown = false;
    leases.hold('node-1');
    assert.deepEqual((await server.methods(2)).length, 2);
  });
});
