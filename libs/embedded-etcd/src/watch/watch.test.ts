import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { everyKey, putRequest, requestOp } from '@apichain/etcd-api';
import type { WatchResponse } from '@apichain/etcd-api/etcdserverpb';
import { startEmbeddedEtcd, type EmbeddedEtcd } from '../embedded-etcd.ts';
import { bytes, testClient, type TestClient, type TestWatch } from '../server.fixture.ts';

const revisionOf = ({ header }: { header: { revision: number } | undefined }) => header?.revision ?? 0;
const keysOf = (responses: readonly WatchResponse[]) =>
  responses.flatMap(({ events }) => events.map(({ kv }) => String(kv?.key)));
const isProgress = ({ created, canceled, events }: WatchResponse) => !created && !canceled && events.length === 0;

describe('a watch of the embedded etcd', () => {
  let etcd: EmbeddedEtcd;
  let client: TestClient;
  let watch: TestWatch;
  beforeEach(async () => {
    etcd = await startEmbeddedEtcd({ memory: true, progressInterval: 100 });
    client = testClient(etcd.url);
    watch = client.watch();
  });
  afterEach(async () => {
    watch.close();
    client.close();
    await etcd.close();
  });

  it('sends puts and deletes of its range with the previous state', async () => {
    watch.create({ key: bytes('a'), rangeEnd: bytes('c'), prevKv: true });
    await client.put({ key: bytes('b'), value: bytes('1') });
    await client.put({ key: bytes('c'), value: bytes('other') });
    await client.put({ key: bytes('b'), value: bytes('2') });
    await client.deleteRange({ key: bytes('b') });
    await watch.until((responses) => keysOf(responses).length === 3);
    const told = watch.responses.flatMap(({ events }) =>
      events.map(({ type, kv, prevKv }) => [
        type,
        String(kv?.value),
        prevKv === undefined ? undefined : String(prevKv.value),
      ]),
    );
    assert.deepEqual(told, [
      [0, '1', undefined],
      [0, '2', '1'],
      [1, '', '2'],
    ]);
  });

  it('omits filtered events', async () => {
    watch.create({ ...everyKey, filters: [0] });
    await client.put({ key: bytes('a') });
    await client.deleteRange({ key: bytes('a') });
    await watch.until((responses) => keysOf(responses).length > 0);
    assert.deepEqual(
      watch.responses.flatMap(({ events }) => events.map(({ type }) => type)),
      [1],
    );
  });

  it('starts at a past revision, anywhere in a long history, without gaps', async () => {
    const from = etcd.revision + 1;
    for (let i = 0; i < 30; i++) {
      const success = Array.from({ length: 100 }, (_, j) =>
        requestOp({ requestPut: putRequest({ key: bytes(`${String(i)}-${String(j)}`) }) }),
      );
      await client.txn({ success });
    }
    watch.create({ ...everyKey, startRevision: from });
    await watch.until((responses) => keysOf(responses).length === 3_000);
    assert.equal(new Set(keysOf(watch.responses)).size, 3_000);
    for (const { events } of watch.responses) assert.equal(events.length % 100, 0, 'a revision was split');
  });

  it('is cancelled when its start has been compacted', async () => {
    for (let i = 0; i < 5; i++) await client.put({ key: bytes('a') });
    await client.compact(5);
    watch.create({ ...everyKey, startRevision: 2 });
    await watch.until((responses) => responses.some(({ canceled }) => canceled));
    assert.deepEqual(
      watch.responses.map(({ created, canceled, compactRevision }) => [created, canceled, compactRevision]),
      [
        [true, false, 0],
        [false, true, 5],
      ],
    );
    watch.create({ ...everyKey, startRevision: 5 });
    await watch.until((responses) => keysOf(responses).length === 2);
  });

  it('can be cancelled, and its id reused', async () => {
    watch.create({ ...everyKey, watchId: 7 });
    watch.create({ ...everyKey, watchId: 7 });
    await watch.until((responses) => responses.length === 2);
    assert.match(watch.responses[1]?.cancelReason ?? '', /duplicate watch ID/);
    watch.cancel(7);
    watch.create({ ...everyKey, watchId: 7 });
    await watch.until((responses) => responses.length === 4);
    assert.deepEqual(
      watch.responses.map(({ created, canceled, watchId }) => [created, canceled, watchId]),
      [
        [true, false, 7],
        [true, true, -1],
        [false, true, 7],
        [true, false, 7],
      ],
    );
  });

  it('answers a progress request only after every event before it', async () => {
    watch.create(everyKey);
    let highest = 0;
    const writing = (async () => {
      for (let i = 0; i < 300; i++) await client.put({ key: bytes(`k${String(i)}`) });
    })();
    for (let i = 0; i < 50; i++) {
      watch.requestProgress();
      await delay(1);
    }
    await writing;
    watch.requestProgress();
    await watch.until((responses) =>
      responses.some((response) => isProgress(response) && revisionOf(response) === etcd.revision),
    );
    for (const response of watch.responses) {
      for (const { kv } of response.events) {
        assert.ok((kv?.modRevision ?? 0) > highest, 'an event came after a progress response that covers it');
      }
      if (isProgress(response)) highest = revisionOf(response);
    }
    assert.equal(keysOf(watch.responses).length, 300);
  });

  it('delays a progress response until a slow client has received its events', async () => {
    const value = Buffer.alloc(200_000);
    watch.create(everyKey);
    await watch.until((responses) => responses.length === 1);
    watch.stream.pause();
    for (let i = 0; i < 100; i++) await client.put({ key: bytes(`k${String(i)}`), value });
    watch.requestProgress();
    await delay(100);
    watch.stream.resume();
    await watch.until((responses) => responses.some(isProgress));
    assert.equal(keysOf(watch.responses).length, 100);
    assert.ok(isProgress(watch.responses.at(-1) ?? assert.fail()));
  });

  it('sends progress notifications to an idle watch that requested them', async () => {
    watch.create({ key: bytes('silent'), progressNotify: true });
    await client.put({ key: bytes('a') });
    await watch.until((responses) =>
      responses.some((response) => isProgress(response) && revisionOf(response) === etcd.revision),
    );
    assert.equal(watch.responses.at(-1)?.watchId, 0);
  });

  it('sends a large revision in fragments on request', async () => {
    watch.create({ ...everyKey, fragment: true });
    await watch.until((responses) => responses.length === 1);
    const value = Buffer.alloc(12_000);
    const success = Array.from({ length: 100 }, (_, i) =>
      requestOp({ requestPut: putRequest({ key: bytes(String(i)), value }) }),
    );
    await client.txn({ success });
    await client.txn({ success });
    await watch.until((responses) => keysOf(responses).length === 200);
    watch.close();
    watch = client.watch();
    watch.create({ ...everyKey, fragment: true, startRevision: 2 });
    await watch.until((responses) => keysOf(responses).length === 200);
    const parts = watch.responses.filter(({ events }) => events.length > 0);
    assert.deepEqual(
      parts.map(({ fragment }) => fragment),
      [true, false],
    );
  });
});
