import assert from 'node:assert/strict';
import { StatusError } from '@apichain/meta';
import { startTestEtcd, type TestEtcd } from './test-etcd.ts';
import {
  configMap,
  describeEvent,
  labelled,
  listOptions,
  take,
  testStore,
  watchOptions,
  type TestStore,
} from './test-store.ts';

describe('a store without a watch cache', () => {
  let etcd: TestEtcd;
  let test: TestStore;
  before(async () => {
    etcd = await startTestEtcd();
  });
  after(() => etcd.close());
  beforeEach(() => {
    test = testStore(etcd.url, { watchCache: false });
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

  it('reads every state that etcd has', async () => {
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
    await assert.rejects(future, (error) => error instanceof StatusError && error.code === 504);
  });

  it('watches from a revision, from the present state, and from now on', async () => {
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
