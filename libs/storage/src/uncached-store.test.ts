import assert from 'node:assert/strict';
import { startTestEtcd, type TestEtcd } from '@apichain/etcd-client/etcd.fixture';
import { StatusError } from '@apichain/meta';
import {
  configMap,
  describeEvent,
  labelled,
  listOptions,
  openTestStore,
  take,
  watchOptions,
  type TestStore,
} from './store.fixture.ts';
import { UncachedStore } from './uncached-store.ts';

const isWithoutRetry = (error: unknown) =>
  error instanceof StatusError && error.code === 504 && error.status.details?.retryAfterSeconds === undefined;

describe('a store without a watch cache', () => {
  let etcd: TestEtcd;
  let test: TestStore;
  before(async () => {
    etcd = await startTestEtcd();
  });
  after(() => etcd.close());
  beforeEach(() => {
    test = openTestStore(etcd.url, (options) => new UncachedStore(options));
  });
  afterEach(() => test.close());
  const put = (n: string, data: Record<string, string> = {}, labels?: Record<string, string>) =>
    test.storage.guaranteedUpdate(test.key(n), {
      ignoreNotFound: true,
      tryUpdate: () => ({ object: configMap(n, data, labels) }),
    });
  const watch = (options: Parameters<typeof watchOptions>[0]) =>
    test.storage.watch(test.directory, watchOptions(options));
  const names = async (options: Parameters<typeof listOptions>[0]) =>
    (await test.storage.list(test.directory, listOptions(options))).items.map(({ attributes }) => attributes.name);

  it('reads every available revision', async () => {
    const first = await put('a', {}, { color: 'red' });
    await put('b');
    assert.deepEqual(await names({}), ['a', 'b']);
    assert.deepEqual(await names({ resourceVersion: '0' }), ['a', 'b']);
    assert.deepEqual(await names({ predicate: labelled('color', 'red') }), ['a']);
    const exact = { resourceVersion: String(first.revision), resourceVersionMatch: 'Exact' } as const;
    assert.deepEqual(await names(exact), ['a']);
    const page = await test.storage.list(test.directory, listOptions({ limit: 1 }));
    assert.deepEqual(await names({ limit: 1, continue: page.continue ?? '' }), ['b']);
    const read = await test.storage.get(test.key('a'), { resourceVersion: '0' });
    assert.deepEqual(read.json, first.json);
    assert.equal(test.storage.cachedCopy(test.key('a')), undefined);
  });

  it('refuses reads of the future', async () => {
    const { revision } = await put('a');
    const future = test.storage.get(test.key('a'), { resourceVersion: String(revision + 1_000) });
    await assert.rejects(future, isWithoutRetry);
    const resourceVersion = String(revision + 1_000);
    const notOlder = { resourceVersion, resourceVersionMatch: 'NotOlderThan' } as const;
    await assert.rejects(names(notOlder), isWithoutRetry);
    await assert.rejects(names({ resourceVersion, limit: 1 }), isWithoutRetry);
    const beyond = { resourceVersion: '9223372036854775807' };
    await assert.rejects(names({ ...beyond, limit: 1 }), isWithoutRetry);
    await assert.rejects(names({ ...beyond, resourceVersionMatch: 'Exact' }), isWithoutRetry);
    const unreadable = test.storage.get(test.key('a'), { resourceVersion: 'abc' });
    await assert.rejects(unreadable, (error) => error instanceof StatusError && error.code === 400);
  });

  it('lists all resources in pages', async () => {
    await put('a');
    await put('b');
    const page = await test.storage.list(test.directory, listOptions({ resourceVersion: '0', limit: 1 }));
    assert.equal(page.remainingItemCount, 1);
    assert.deepEqual(await names({ resourceVersion: '0', limit: 1, continue: page.continue ?? '' }), ['b']);
  });

  it('lists one name without paging, also with a namespace in the selector', async () => {
    await put('a');
    const { revision } = await put('b');
    await put('c');
    const named = (fields: Record<string, string>) => ({
      matches: ({ name }: { name: string }) => name === 'b',
      everything: false,
      exactFields: { 'metadata.name': 'b', ...fields },
    });
    const resourceVersion = String(revision);
    const options = listOptions({ resourceVersion, limit: 1, predicate: named({}) });
    const page = await test.storage.list(test.directory, options);
    assert.deepEqual([page.items.length, page.continue, page.revision > revision], [1, undefined, true]);
    const predicate = named({ 'metadata.namespace': 'default' });
    const narrowed = await test.storage.list(test.root, listOptions({ limit: 1, predicate }));
    assert.deepEqual([narrowed.items.length, narrowed.continue], [1, undefined]);
  });

  it('waits for a future revision in a watch, and refuses its initial events', async () => {
    const { revision } = await put('a');
    const resourceVersion = String(revision + 1);
    const early = await watch({ resourceVersion });
    const refused = await watch({ resourceVersion: String(revision + 1_000), sendInitialEvents: true });
    await put('b');
    await put('c');
    assert.deepEqual((await take(early, 1)).map(describeEvent), ['ADDED c']);
    const [error] = await take(refused, 1);
    assert.equal(error?.status?.code, 504);
    assert.ok((error?.status?.details?.retryAfterSeconds ?? 0) >= 1);
    for (const stream of [early, refused]) stream.stop();
  });

  it('sends no bookmarks', async () => {
    await put('a');
    const stream = await watch({ resourceVersion: '', allowWatchBookmarks: true, deadline: performance.now() + 3_000 });
    await new Promise((resolve) => setTimeout(resolve, 2_200));
    await put('b');
    assert.deepEqual((await take(stream, 2)).map(describeEvent), ['ADDED a', 'ADDED b']);
    stream.stop();
  });

  it('watches from a revision, from the current state, and from now on', async () => {
    const first = await put('a');
    const fromRevision = await watch({ resourceVersion: String(first.revision) });
    const fromState = await watch({ resourceVersion: '' });
    const announced = await watch({ resourceVersion: '', sendInitialEvents: true, allowWatchBookmarks: true });
    const fromNow = await watch({ resourceVersion: '', sendInitialEvents: false });
    await put('b');
    await test.storage.delete(test.key('a'), {});
    const changes = ['ADDED b', 'DELETED a'];
    assert.deepEqual((await take(fromRevision, 2)).map(describeEvent), changes);
    assert.deepEqual((await take(fromState, 3)).map(describeEvent), ['ADDED a', ...changes]);
    const events = await take(announced, 4);
    assert.equal(events[1]?.initialEventsEnd, true);
    assert.deepEqual((await take(fromNow, 2)).map(describeEvent), changes);
    for (const stream of [fromRevision, fromState, announced, fromNow]) stream.stop();
  });

  it('ends its watches when it is closed', async () => {
    const stream = await watch({ resourceVersion: '' });
    const next = stream.next();
    await test.storage.close();
    assert.equal(await next, undefined);
  });
});
