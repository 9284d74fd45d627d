import assert from 'node:assert/strict';
import { runWhileLeading } from './leader-election.ts';
import { RestClient } from './rest-client.ts';
import type { Transport, TransportRequest } from './transport.ts';

interface Lease {
  readonly metadata: { resourceVersion?: string };
  readonly spec: { readonly holderIdentity?: string };
}

/** A server with one Lease. */
class LeaseServer implements Transport {
  lease: Lease | undefined;
  /** Called before each update. */
  beforeUpdate: (lease: Lease) => void = () => undefined;
  #revision = 0;

  async send({ method, body }: TransportRequest): ReturnType<Transport['send']> {
    if (method === 'GET')
      return this.lease === undefined ? respond(404, { reason: 'NotFound' }) : respond(200, this.lease);
    const sent = JSON.parse(String(body)) as Lease;
    if (method === 'PUT') this.beforeUpdate(sent);
    if (method === 'PUT' && sent.metadata.resourceVersion !== this.lease?.metadata.resourceVersion)
      return respond(409, { reason: 'Conflict' });
    this.write(sent);
    return respond(200, sent);
  }
  write(lease: Lease): void {
    this.lease = lease;
    lease.metadata.resourceVersion = String(++this.#revision);
  }
  async close(): Promise<void> {}
}

function respond(status: number, content: object): Awaited<ReturnType<Transport['send']>> {
  const object = status < 400 ? content : { kind: 'Status', code: status, message: 'refused', ...content };
  const bytes = Buffer.from(JSON.stringify(object));
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: {
      async *[Symbol.asyncIterator]() {
        yield bytes;
      },
      async dump() {},
    },
  };
}

const silent = { info: () => undefined, error: () => undefined };
const election = {
  identity: 'a',
  namespace: 'kube-system',
  name: 'lease',
  leaseDurationMs: 15_000,
  renewDeadlineMs: 10_000,
};

describe('runWhileLeading', () => {
  it('does not take the lease back with a renewal that was under way at the end', async () => {
    const server = new LeaseServer();
    const stop = new AbortController();
    const { promise: held, resolve: goOn } = Promise.withResolvers<void>();
    const { promise: renewing, resolve: begin } = Promise.withResolvers<void>();
    let reads = 0;
    const slow: Transport = {
      async send(request) {
        // The first read acquires the lease, the second renews it; the third releases it.
        if (request.method === 'GET' && ++reads === 2) {
          begin();
          await held;
        }
        return server.send(request);
      },
      close: () => server.close(),
    };
    const client = new RestClient(slow);
    const ended = runWhileLeading(
      { ...election, client, signal: stop.signal, retryPeriodMs: 1, log: silent },
      async () => undefined,
    );
    await renewing;
    stop.abort();
    assert.equal(await ended, 'stopped');
    assert.equal(server.lease?.spec.holderIdentity, '');
    goOn();
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(server.lease.spec.holderIdentity, '');
  });

  it('releases the lease also when a renewal comes in between', async () => {
    const server = new LeaseServer();
    const stop = new AbortController();
    const errors: string[] = [];
    const outcome = await runWhileLeading(
      {
        ...election,
        client: new RestClient(server),
        signal: stop.signal,
        retryPeriodMs: 1_000,
        log: { info: () => undefined, error: (message) => errors.push(message) },
      },
      async () => {
        server.beforeUpdate = () => {
          server.beforeUpdate = () => undefined;
          if (server.lease !== undefined) server.write(structuredClone(server.lease));
        };
        stop.abort();
      },
    );
    assert.equal(outcome, 'stopped');
    assert.equal(server.lease?.spec.holderIdentity, '');
    assert.deepEqual(errors, []);
  });
});
