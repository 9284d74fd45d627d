import assert from 'node:assert/strict';
import fc from 'fast-check';
import { EtcdServerError, deleteRangeRequest, everyKey, putRequest, rangeRequest, requestOp } from '@apichain/etcd-api';
import {
  KVService,
  LeaseService,
  type Compare,
  type RequestOp,
  type TxnRequest,
} from '@apichain/etcd-api/etcdserverpb';
import { startEmbeddedEtcd, type EmbeddedEtcd } from './embedded-etcd.ts';
import { realEtcdProgram, startRealEtcd } from './real-etcd.fixture.ts';
import { testClient, type TestClient } from './server.fixture.ts';

/*
 * Runs the same random operations on a real etcd and on the embedded one, and expects the same responses, errors, contents and watch events. Revisions
 * in requests are relative to the start of the run, because the revisions of the real etcd increase from run to run.
 */

const none = Buffer.alloc(0);
const names = ['a', 'ab', 'b', 'c', 'd\xff'].map((name) => Buffer.from(name, 'latin1'));
const zero = Buffer.from([0]);

const key = fc.oneof({ weight: 30, arbitrary: fc.constantFrom(...names) }, { weight: 1, arbitrary: fc.constant(none) });
const rangeEnd = fc.oneof(
  { weight: 3, arbitrary: fc.constant(none) },
  { weight: 2, arbitrary: fc.constantFrom(...names, zero) },
);
const value = fc.constantFrom('', '1', '2', 'xyz').map((text) => Buffer.from(text));
const lease = fc.constantFrom('0', '0', '0', '7', '8', '9');
const revision = fc.oneof(
  { weight: 3, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.integer({ min: -1, max: 25 }) },
);
const flag = fc.boolean();
const rarely = fc.integer({ min: 0, max: 9 }).map((n) => n === 0);

const put = fc
  .record({ key, value, lease, prevKv: flag, ignoreValue: rarely, ignoreLease: rarely })
  .map((request) => putRequest(request));
const bound = fc.oneof(
  { weight: 5, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 20 }) },
);
const range = fc
  .record({
    key,
    rangeEnd,
    limit: fc.constantFrom(0, 0, 1, 2, 3),
    revision,
    sortOrder: fc.constantFrom(0, 0, 1, 2),
    sortTarget: fc.constantFrom(0, 0, 1, 2, 3, 4),
    serializable: flag,
    keysOnly: rarely,
    countOnly: rarely,
    minModRevision: bound,
    maxModRevision: bound,
    minCreateRevision: bound,
    maxCreateRevision: bound,
  })
  .map((request) => rangeRequest(request));
const deleteRange = fc.record({ key, rangeEnd, prevKv: flag }).map((request) => deleteRangeRequest(request));
const compare = fc
  .record({
    result: fc.constantFrom(0, 1, 2, 3),
    target: fc.constantFrom(0, 1, 2, 3, 4),
    key,
    rangeEnd,
    number: revision,
    value,
    lease,
  })
  .map(({ number, value: bytes, lease: id, ...rest }): Compare => {
    const { target } = rest;
    return {
      ...(rest as Pick<Compare, 'result' | 'target' | 'key' | 'rangeEnd'>),
      version: target === 0 ? number : undefined,
      createRevision: target === 1 ? number : undefined,
      modRevision: target === 2 ? number : undefined,
      value: target === 3 ? bytes : undefined,
      lease: target === 4 ? id : undefined,
    };
  });

const { txn } = fc.letrec<{ txn: TxnRequest; op: RequestOp }>((tie) => ({
  txn: fc.record({
    compare: fc.array(compare, { maxLength: 2 }),
    success: fc.array(tie('op'), { maxLength: 3 }),
    failure: fc.array(tie('op'), { maxLength: 3 }),
  }),
  op: fc.oneof(
    { depthSize: 'small', maxDepth: 3 },
    put.map((requestPut) => requestOp({ requestPut })),
    range.map((requestRange) => requestOp({ requestRange })),
    deleteRange.map((requestDeleteRange) => requestOp({ requestDeleteRange })),
    tie('txn').map((requestTxn) => requestOp({ requestTxn })),
  ),
}));

type Operation =
  | { readonly kind: 'put'; readonly request: ReturnType<typeof putRequest> }
  | { readonly kind: 'range'; readonly request: ReturnType<typeof rangeRequest> }
  | { readonly kind: 'deleteRange'; readonly request: ReturnType<typeof deleteRangeRequest> }
  | { readonly kind: 'txn'; readonly request: TxnRequest }
  | { readonly kind: 'compact'; readonly revision: number }
  | { readonly kind: 'grant'; readonly id: string; readonly ttl: number }
  | { readonly kind: 'revoke'; readonly id: string }
  | { readonly kind: 'timeToLive'; readonly id: string };

const leaseId = fc.constantFrom('7', '8', '9');
const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 6, arbitrary: put.map((request) => ({ kind: 'put' as const, request })) },
  { weight: 5, arbitrary: range.map((request) => ({ kind: 'range' as const, request })) },
  { weight: 2, arbitrary: deleteRange.map((request) => ({ kind: 'deleteRange' as const, request })) },
  { weight: 6, arbitrary: txn.map((request) => ({ kind: 'txn' as const, request })) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 25 }).map((at) => ({ kind: 'compact' as const, revision: at })) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('grant' as const),
      id: leaseId,
      ttl: fc.constantFrom(-1, 1, 600, 9_000_000_001),
    }),
  },
  { weight: 1, arbitrary: leaseId.map((id) => ({ kind: 'revoke' as const, id })) },
  { weight: 1, arbitrary: leaseId.map((id) => ({ kind: 'timeToLive' as const, id })) },
);

const requestRevisions = new Set([
  'revision',
  'minModRevision',
  'maxModRevision',
  'minCreateRevision',
  'maxCreateRevision',
  'createRevision',
  'modRevision',
]);
/** Adds `base` to the revisions in a request. */
function shift<T>(request: T, base: number): T {
  if (Buffer.isBuffer(request) || typeof request !== 'object' || request === null) return request;
  if (Array.isArray(request)) return request.map((item: unknown) => shift(item, base)) as T;
  return Object.fromEntries(
    Object.entries(request).map(([name, field]) => [
      name,
      requestRevisions.has(name) && typeof field === 'number' && field > 0 ? field + base : shift(field, base),
    ]),
  ) as T;
}

/** The comparable part of a response: no identity, revisions relative to the start of the run, bytes as text. */
function comparable(received: unknown, base: number): unknown {
  if (Buffer.isBuffer(received)) return received.toString('latin1');
  if (Array.isArray(received)) return received.map((item) => comparable(item, base));
  if (typeof received !== 'object' || received === null) return received;
  return Object.fromEntries(
    Object.entries(received).flatMap(([name, field]: [string, unknown]) => {
      if (['clusterId', 'memberId', 'raftTerm'].includes(name)) return [];
      if (/revision$/i.test(name) && typeof field === 'number' && field > 0) return [[name, field - base]];
      if (name === 'keys' && Array.isArray(field)) return [[name, field.map(String).sort()]];
      return [[name, comparable(field, base)]];
    }),
  );
}

function perform(client: TestClient, operation: Operation, base: number): Promise<unknown> {
  switch (operation.kind) {
    case 'put':
      return client.put(operation.request);
    case 'range':
      return client.range(shift(operation.request, base));
    case 'deleteRange':
      return client.deleteRange(operation.request);
    case 'txn':
      return client.call(KVService.txn, shift(operation.request, base));
    case 'compact':
      return client.compact(operation.revision + base);
    case 'grant':
      return client.call(LeaseService.leaseGrant, { ID: operation.id, TTL: operation.ttl });
    case 'revoke':
      return client.call(LeaseService.leaseRevoke, { ID: operation.id });
    case 'timeToLive':
      return client.call(LeaseService.leaseTimeToLive, { ID: operation.id, keys: true });
  }
}

/** Empties the store and compacts its history. Returns its revision. */
async function begin(client: TestClient): Promise<number> {
  // A lease that does not exist is refused.
  for (const ID of ['7', '8', '9']) await client.call(LeaseService.leaseRevoke, { ID }).catch(() => undefined);
  await client.put({ key: Buffer.from('begin') });
  await client.deleteRange(everyKey);
  const { header } = await client.put({ key: Buffer.from('begin') });
  const at = header?.revision ?? 0;
  await client.compact(at);
  return at;
}

async function run(client: TestClient, operations: readonly Operation[]): Promise<unknown[]> {
  const base = await begin(client);
  const watch = client.watch();
  watch.create({ ...everyKey, startRevision: base + 1, prevKv: true });
  await watch.until((responses) => responses.length > 0);
  const outcomes: unknown[] = [];
  for (const operation of operations) {
    try {
      outcomes.push(comparable(await perform(client, operation, base), base));
    } catch (error) {
      if (!(error instanceof EtcdServerError)) throw error;
      outcomes.push(`${String(error.code)} ${error.details}`);
    }
  }
  const contents = await client.range(everyKey);
  outcomes.push(comparable(contents, base));
  // One last change that a watch from the start cannot miss.
  await client.put({ key: Buffer.from('last') });
  await watch.until((got) => got.some(({ events }) => events.some(({ kv }) => String(kv?.key) === 'last')));
  watch.close();
  // In both etcds, the previous value may be compacted by the time the event is sent.
  const events = watch.responses.flatMap((response) => response.events.map(({ type, kv }) => ({ type, kv })));
  outcomes.push(comparable(events, base));
  return outcomes;
}

describe('the embedded etcd beside a real one', function () {
  let real: Awaited<ReturnType<typeof startRealEtcd>>;
  let embedded: EmbeddedEtcd;
  let clients: [TestClient, TestClient];

  before(async function () {
    const program = realEtcdProgram();
    if (program === undefined) throw new Error('this test needs etcd on the PATH or in APICHAIN_ETCD');
    real = await startRealEtcd(program);
    embedded = await startEmbeddedEtcd({ memory: true });
    clients = [testClient(real.url), testClient(embedded.url)];
  });
  after(async () => {
    for (const client of clients) client.close();
    await embedded.close();
    await real.close();
  });

  it('gives the same responses to any sequence of operations', async () => {
    const runs = Number(process.env['APICHAIN_PROPERTY_RUNS'] ?? '60');
    const property = fc.asyncProperty(fc.array(operation, { minLength: 5, maxLength: 30 }), async (operations) => {
      const [expected, actual] = await Promise.all(clients.map((client) => run(client, operations)));
      assert.deepEqual(actual, expected);
    });
    await fc.assert(property, {
      numRuns: runs,
      ...(process.env['SEED'] === undefined ? {} : { seed: Number(process.env['SEED']) }),
    });
  });
});
