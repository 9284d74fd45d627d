import assert from 'node:assert/strict';
import { defaultWatchQueueLimits } from '@apichain/storage';
import { dataOf, describeEvent, labelled, take, watchOptions, withField } from '@apichain/storage/store.fixture';
import { onEveryEtcd } from './store-suite.fixture.ts';

onEveryEtcd('watches of a store', (store) => {
  it('send every change after a revision', async () => {
    const [first] = await store.create('x');
    await store.put('x', { v: '2' });
    const stream = await store.storage.watch(
      store.directory,
      watchOptions({ resourceVersion: String(first?.revision) }),
    );
    await store.create('y');
    await store.storage.delete(store.key('x'), {});
    const events = await take(stream, 3);
    assert.deepEqual(events.map(describeEvent), ['MODIFIED x', 'ADDED y', 'DELETED x']);
    const [, , gone] = events;
    assert.equal(gone?.object?.parse().metadata.resourceVersion, String(gone?.revision));
    stream.stop();
    assert.equal(await stream.next(), undefined);
  });
  it('may begin before the revision of the cache', async () => {
    const [first] = await store.create('x');
    await store.put('x', { v: '2' });
    await store.names();
    const stream = await store.storage.watch(
      store.directory,
      watchOptions({ resourceVersion: String(first?.revision) }),
    );
    await store.put('x', { v: '3' });
    assert.deepEqual((await take(stream, 2)).map(describeEvent), ['MODIFIED x', 'MODIFIED x']);
    stream.stop();
  });
  it('share the history from the earliest revision', async () => {
    const [first] = await store.create('x');
    await store.create('y');
    const start = { resourceVersion: String(first?.revision) };
    // More watches than may be fed directly by etcd.
    const streams = await Promise.all(
      Array.from({ length: 300 }, () => store.storage.watch(store.directory, watchOptions(start))),
    );
    await store.put('x', { v: '2' });
    const told = await Promise.all(streams.map(async (stream) => (await take(stream, 2)).map(describeEvent).join()));
    assert.deepEqual([...new Set(told)], ['ADDED y,MODIFIED x']);
    assert.deepEqual(await store.names(), ['x', 'y']);
    for (const stream of streams) stream.stop();
  });
  it('begin at the revision of the cache when older history is compacted', async () => {
    const [first] = await store.create('x');
    await store.put('x', { v: '2' });
    const last = await store.put('x', { v: '3' });
    await store.connection.compact(last.revision);
    const stream = await store.storage.watch(
      store.directory,
      watchOptions({ resourceVersion: String(first?.revision) }),
    );
    assert.equal((await take(stream, 1))[0]?.status?.reason, 'Expired');
    const next = await store.storage.watch(store.directory, watchOptions({ resourceVersion: String(last.revision) }));
    await store.put('x', { v: '4' });
    assert.deepEqual((await take(next, 1)).map(describeEvent), ['MODIFIED x']);
    next.stop();
  });
  it('end with 410 when their start is too old', async () => {
    await store.create('x');
    const stream = await store.storage.watch(store.directory, watchOptions({ resourceVersion: '1' }));
    const [error] = await take(stream, 1);
    assert.equal(error?.status?.reason, 'Expired');
    assert.match(error?.status?.message ?? '', /^too old resource version: 1 \(\d+\)$/);
    assert.equal(await stream.next(), undefined);
  });
  it('turn selector transitions into ADDED and DELETED', async () => {
    const start = await store.put('a', {}, { on: 'no' });
    const stream = await store.storage.watch(
      store.directory,
      watchOptions({ resourceVersion: String(start.revision), predicate: labelled('on', 'yes') }),
    );
    await store.put('a', { v: '1' }, { on: 'yes' });
    await store.put('a', { v: '2' }, { on: 'yes' });
    const left = await store.put('a', { v: '3' }, { on: 'no' });
    const events = await take(stream, 3);
    assert.deepEqual(events.map(describeEvent), ['ADDED a', 'MODIFIED a', 'DELETED a']);
    assert.equal(events[2]?.revision, left.revision);
    assert.deepEqual(dataOf(events[2]?.object?.json ?? Buffer.alloc(0)), { v: '2' });
    stream.stop();
  });
  it('share one event between watchers, and find watchers of one field value', async () => {
    const start = await store.put('a', { node: 'n1' });
    const open = (predicate = withField('data.node', 'n2')) =>
      store.storage.watch(store.directory, watchOptions({ resourceVersion: String(start.revision), predicate }));
    const [one, two, byName] = await Promise.all([open(), open(), open(withField('metadata.name', 'b'))]);
    await store.put('a', { node: 'n2' });
    await store.put('b', { node: 'n3' });
    const [first] = await take(one, 1);
    const [second] = await take(two, 1);
    assert.equal(first, second);
    assert.deepEqual((await take(byName, 1)).map(describeEvent), ['ADDED b']);
    for (const stream of [one, two, byName]) stream.stop();
  });
  it('send the initial state, then a bookmark', async () => {
    await store.create('a', 'b');
    const stream = await store.storage.watch(
      store.directory,
      watchOptions({ sendInitialEvents: true, allowWatchBookmarks: true }),
    );
    const events = await take(stream, 3);
    assert.deepEqual(events.map(describeEvent), ['ADDED a', 'ADDED b', 'BOOKMARK']);
    assert.equal(events[2]?.initialEventsEnd, true);
    await store.create('c');
    assert.deepEqual((await take(stream, 1)).map(describeEvent), ['ADDED c']);
    stream.stop();
  });
  it('get a bookmark before their deadline', async () => {
    const created = await store.create('a');
    const stream = await store.storage.watch(
      store.directory,
      watchOptions({
        resourceVersion: String(created[0]?.revision),
        allowWatchBookmarks: true,
        deadline: performance.now() + 2_300,
      }),
    );
    const events = await take(stream, 1);
    assert.deepEqual(events.map(describeEvent), ['BOOKMARK']);
    assert.ok((events[0]?.revision ?? 0) >= (created[0]?.revision ?? 0));
    stream.stop();
  });
  it('wait for a future revision, and fail in the stream when they need the initial state', async () => {
    await store.create('a');
    const future = (await store.storage.currentRevision()) + 2;
    const stream = await store.storage.watch(store.directory, watchOptions({ resourceVersion: String(future) }));
    await store.create('b', 'c', 'd');
    assert.deepEqual(
      (await take(stream, 1)).map(({ revision }) => revision),
      [future + 1],
    );
    stream.stop();
    const withState = await store.storage.watch(
      store.directory,
      watchOptions({ resourceVersion: String(future + 1_000), sendInitialEvents: true }),
    );
    const [error] = await take(withState, 1);
    assert.match(error?.status?.message ?? '', /^Timeout: Too large resource version: /);
    assert.equal(await withState.next(), undefined);
  });
  it('without initial events omit changes acknowledged before', async () => {
    await store.names();
    await store.create('a');
    const stream = await store.storage.watch(store.directory, watchOptions({ sendInitialEvents: false }));
    await store.create('b');
    assert.deepEqual((await take(stream, 1)).map(describeEvent), ['ADDED b']);
    stream.stop();
  });
  it('end for a slow consumer, and only for that one', async () => {
    await store.reopen({
      watchQueueLimits: { ...defaultWatchQueueLimits, softEvents: 10, patienceMs: 60_000, hardEvents: 20 },
    });
    const start = await store.put('a', {});
    const open = () => store.storage.watch(store.directory, watchOptions({ resourceVersion: String(start.revision) }));
    const [slow, quick] = await Promise.all([open(), open()]);
    for (let i = 0; i < 30; i++) {
      await store.put('a', { v: String(i) });
      assert.equal((await take(quick, 1)).length, 1);
    }
    assert.equal(await slow.next(), undefined);
    quick.stop();
  });
});
