import assert from 'node:assert/strict';
import http2 from 'node:http2';
import { setTimeout as delay } from 'node:timers/promises';
import { alwaysAllow } from '@apichain/authz';
import type { ResourceStore, Storage } from '@apichain/storage';
import type { KubeObject } from '@apichain/meta';
import { jsonCodec } from '@apichain/storage';
import {
  everyPath,
  flowSchema,
  limitedLevel,
  queuing,
  toGroup,
  toUser,
} from '@apichain/flowcontrol/flow-control.fixture';
import { MemoryStorage } from './registry/memory-storage.fixture.ts';
import { call, installEcho, occupy, TestServers, type TestServer } from './server.fixture.ts';
import { defaultLimits, type ServerConfig } from './server-config.ts';

const servers = new TestServers();
const allow: ServerConfig['authorizer'] = alwaysAllow;

async function storeOf(objects: readonly KubeObject[]): Promise<ResourceStore<Storage>> {
  const storage = new MemoryStorage(jsonCodec({}));
  for (const object of objects) await storage.create(`/x/${object.metadata.name}`, object);
  return { storage, prefix: '/x' };
}

async function start(
  schemas: readonly KubeObject[],
  levels: readonly KubeObject[],
  more: Partial<ServerConfig> = {},
): Promise<TestServer & { readonly levels: ResourceStore<Storage> }> {
  const flowControl = { flowSchemas: await storeOf(schemas), priorityLevels: await storeOf(levels) };
  const target = await servers.start(
    {
      authorizer: allow,
      limits: { ...defaultLimits, maxRequestsInFlight: 4, maxMutatingRequestsInFlight: 2, requestTimeoutMs: 60_000 },
      flowControl,
      ...more,
    },
    installEcho,
  );
  return { ...target, levels: flowControl.priorityLevels };
}

/** Repeats a look at a server until it finds what it looks for. */
async function until<T>(look: () => Promise<T>, isFound: (found: T) => boolean): Promise<T> {
  for (const deadline = Date.now() + 60_000; ; await delay(5)) {
    const found = await look();
    if (isFound(found)) return found;
    if (Date.now() > deadline) assert.fail(`not within a minute: ${JSON.stringify(found)}`);
  }
}

const paths = (level: string, name: string) => [
  flowSchema(name, level, 500, [{ subjects: toUser('bob'), nonResourceRules: [everyPath] }]),
];

describe('priority and fairness', () => {
  it('names the flow schema and the priority level in the response', async () => {
    const target = await start(paths('few', 'bobs'), [limitedLevel('few', 10)]);
    const { headers } = await call(target, '/whoami', { as: servers.certificates.bob });
    assert.equal(headers['x-kubernetes-pf-flowschema-uid'], 'uid-of-bobs');
    assert.equal(headers['x-kubernetes-pf-prioritylevel-uid'], 'uid-of-few');
    const admin = await call(target, '/whoami', { as: servers.certificates.admin });
    assert.equal(admin.headers['x-kubernetes-pf-flowschema-uid'], '');
  });

  it('rejects requests without seat and queue, only of the same level', async () => {
    const target = await start(paths('few', 'bobs'), [limitedLevel('few', 1), limitedLevel('many', 100)]);
    const as = servers.certificates.bob;
    const occupying = await occupy(target, as);
    const dropped = await call(target, '/whoami', { as });
    assert.equal(dropped.status, 429);
    assert.equal(dropped.headers['retry-after'], '1');
    assert.equal(dropped.headers['content-type'], 'text/plain; charset=utf-8');
    assert.equal(dropped.headers['x-kubernetes-pf-flowschema-uid'], 'uid-of-bobs');
    assert.equal(dropped.text, 'Too many requests, please try again later.\n');
    for (const other of [undefined, servers.certificates.admin]) {
      const response = await call(target, '/readyz', other === undefined ? {} : { as: other });
      assert.equal(response.status, 200);
    }
    const metrics = await call(target, '/metrics', { as: servers.certificates.admin });
    assert.match(
      metrics.text,
      /apiserver_flowcontrol_rejected_requests_total\{priority_level="few",flow_schema="bobs",reason="concurrency-limit"\} 1/,
    );
    await occupying.release();
    assert.equal((await call(target, '/whoami', { as })).status, 200);
  });

  it('applies changes of its configuration', async () => {
    const target = await start(paths('later', 'bobs'), []);
    const uid = async () => {
      const { headers } = await call(target, '/whoami', { as: servers.certificates.bob });
      return headers['x-kubernetes-pf-prioritylevel-uid'];
    };
    assert.equal(await uid(), '', 'the level is missing: catch-all');
    await target.levels.storage.create('/x/later', limitedLevel('later', 10));
    await until(uid, (found) => found === 'uid-of-later');
  });

  const oneQueue = () =>
    start(paths('queued', 'bobs'), [limitedLevel('queued', 1, queuing(1, 1, 1)), limitedLevel('many', 100)]);

  it('queues a request, and lists it in the debug endpoints', async () => {
    const target = await oneQueue();
    const { bob, admin } = servers.certificates;
    const occupying = await occupy(target, bob);
    const waiting = call(target, '/whoami', { as: bob });
    const dump = (what: string) => call(target, `/debug/api_priority_and_fairness/dump_${what}`, { as: admin });
    await until(
      async () => (await dump('priority_levels')).text,
      (text) => /^queued, +1, +false, +false, +1, /m.test(text),
    );
    assert.equal((await call(target, '/whoami', { as: bob })).status, 429, 'the queue is full');
    const levels = (await dump('priority_levels')).text;
    assert.match(
      levels,
      /ExecutingRequests, DispatchedRequests, RejectedRequests, TimedoutRequests, CancelledRequests$/m,
    );
    assert.match(levels, /^queued, +1, +false, +false, +1, +1, +1, +1, +0, +0$/m);
    assert.match((await dump('queues')).text, /^queued, +0, +1, +1, +1, +\d+\.\d{8}ss, +1, +1, +0\.00300000ss$/m);
    const requests = await dump('requests?includeRequestDetails=1');
    assert.match(
      requests.text,
      /^PriorityLevelName, FlowSchemaName, QueueIndex, RequestIndexInQueue, FlowDistingsher, /,
    );
    assert.match(
      requests.text,
      /^queued, +bobs, +0, +0, +, +20.*Z, 1, +0, +0s, +0001-01-01T00:00:00Z, +bob, +get, +\/whoami,/m,
    );
    await occupying.release();
    assert.equal((await waiting).status, 200);
    assert.match((await dump('priority_levels')).text, /^queued, +0, +true, +false, +0, +0, +2, +1, +0, +0$/m);
  });

  it('queues a request for at most a quarter of its timeout', async () => {
    const target = await oneQueue();
    const as = servers.certificates.bob;
    const occupying = await occupy(target, as);
    const rejected = await call(target, '/whoami?timeout=400ms', { as });
    assert.equal(rejected.status, 429);
    await occupying.release();
    const dump = await call(target, '/debug/api_priority_and_fairness/dump_priority_levels', {
      as: servers.certificates.admin,
    });
    assert.match(dump.text, /^queued, .* 1, +0, +0, +1$/m, 'those who leave the queue count as cancelled');
  });

  /** The statuses of `streams` concurrent requests on one connection, with deadlines of 1 to 6 ms. */
  const burst = async (target: TestServer, path: string, streams: number): Promise<(number | undefined)[]> => {
    const { certificate, key } = servers.certificates.bob;
    const session = http2.connect(target.url, { cert: certificate, key, rejectUnauthorized: false });
    const responses = Array.from(
      { length: streams },
      (_, i) =>
        new Promise<number | undefined>((resolve) => {
          const stream = session.request({ ':path': `${path}?timeout=${1 + (i % 6)}ms` });
          let status: number | undefined;
          stream.on('response', (headers) => (status = headers[':status']));
          stream.on('error', () => undefined);
          stream.on('close', () => resolve(status));
          stream.resume();
        }),
    );
    const statuses = await Promise.all(responses);
    session.close();
    return statuses;
  };

  it('answers a request that times out in the queue once, and does not run it', async () => {
    const target = await start(
      paths('queued', 'bobs'),
      [limitedLevel('queued', 1, queuing(1, 1, 100)), limitedLevel('many', 100)],
      { limits: { ...defaultLimits, maxRequestsInFlight: 4, maxMutatingRequestsInFlight: 2 } },
    );
    let executed = 0;
    target.server.paths.handle('/count', (_context, _request, response) => {
      executed++;
      response.end();
    });
    const occupying = await occupy(target, servers.certificates.bob);
    for (let round = 0; round < 4; round++) {
      const statuses = await burst(target, '/count', 80);
      assert.deepEqual(
        [...new Set(statuses)].filter((status) => status !== 429 && status !== 504),
        [],
      );
    }
    const dump = await call(target, '/debug/api_priority_and_fairness/dump_priority_levels', {
      as: servers.certificates.admin,
    });
    assert.match(dump.text, /^queued, +0, +false, +false, +0, +1, +1,/m, `nobody is left in the queue: ${dump.text}`);
    await occupying.release();
    assert.equal(executed, 0);
    assert.equal((await call(target, '/count', { as: servers.certificates.bob })).status, 200);
    assert.equal(executed, 1);
  });

  it('does not limit requests again that a previous server of the chain admitted', async () => {
    const schemas = [flowSchema('all', 'few', 2, [{ subjects: toGroup('*'), nonResourceRules: [everyPath] }])];
    const target = await start(schemas, [limitedLevel('few', 1), limitedLevel('many', 100)]);
    const as = servers.certificates.frontProxy;
    const headers = { 'X-Remote-User': 'bob', 'X-Remote-Group': 'dev' };
    const occupying = await occupy(target, servers.certificates.bob);
    const response = await call(target, '/whoami', { as, headers });
    assert.equal(response.status, 200);
    assert.equal(response.headers['x-kubernetes-pf-flowschema-uid'], undefined);
    await occupying.release();
  });

  it('is replaced by the max-in-flight limits when it is disabled', async () => {
    const target = await start(paths('few', 'bobs'), [limitedLevel('few', 1)], { priorityAndFairness: false });
    const response = await call(target, '/whoami', { as: servers.certificates.bob });
    assert.equal(response.headers['x-kubernetes-pf-flowschema-uid'], undefined);
    const { text } = await call(target, '/readyz?verbose', { as: servers.certificates.admin });
    assert.match(text, /poststarthook\/max-in-flight-filter ok/);
  });
});
