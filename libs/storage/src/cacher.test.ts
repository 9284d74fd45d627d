import assert from 'node:assert/strict';
import { StatusError, isStatusError } from '@apichain/meta';
import { createStore } from './cacher.ts';
import type { EtcdConnection } from './etcd-client.ts';
import { KeyExistsError, KeyNotFoundError, PreconditionError } from './storage.ts';
import { etcdBinaries, startTestEtcd, type TestEtcd } from './test-etcd.ts';
import {
  codec,
  configMap,
  describeEvent,
  labelled,
  listOptions,
  take,
  testStore,
  watchOptions,
  withField,
  type TestStore,
} from './test-store.ts';

const hasStatus = (code: number, message: string | RegExp) => (error: unknown) => {
  assert.ok(error instanceof StatusError, String(error));
  assert.equal(error.code, code);
  if (typeof message === 'string') assert.equal(error.message, message);
  else assert.match(error.message, message);
  return true;
};
const dataOf = (json: Buffer) => (JSON.parse(json.toString()) as { data: Record<string, string> }).data;

for (const [name, binary] of Object.entries(etcdBinaries())) {
  describe(`store on ${name}`, () => {
    let etcd: TestEtcd;
    let test: TestStore;
    before(async () => {
      etcd = await startTestEtcd(binary);
    });
    after(() => etcd.close());
    beforeEach(async () => {
      test = testStore(etcd.url);
      await test.connection.startRevision();
    });
    afterEach(() => test.close());
    const names = async (options: Parameters<typeof listOptions>[0] = {}) =>
      (await test.storage.list(test.directory, listOptions(options))).items.map((item) => item.attributes.name);
    const create = (...all: string[]) => Promise.all(all.map((n) => test.storage.create(test.key(n), configMap(n))));
    const put = (n: string, data: Record<string, string>, labels?: Record<string, string>) =>
      test.storage.guaranteedUpdate(test.key(n), {
        ignoreNotFound: true,
        tryUpdate: () => ({ object: configMap(n, data, labels) }),
      });

    it('tells clients to come back while its cache takes long to fill', async () => {
      await create('a');
      const released = Promise.withResolvers<undefined>();
      const connection: EtcdConnection = {
        ...test.connection,
        range: async (request) => {
          await released.promise;
          return test.connection.range(request);
        },
      };
      const slow = createStore({
        connection,
        directory: test.root,
        codec,
        resource: { group: '', resource: 'configmaps' },
        fillTimeout: 50,
      });
      const tooEarly = (error: unknown) =>
        isStatusError(error, 'TooManyRequests') &&
        error.message === 'storage is (re)initializing' &&
        error.status.details?.retryAfterSeconds === 1;
      await assert.rejects(slow.list(test.directory, listOptions()), tooEarly);
      await assert.rejects(slow.watch(test.directory, watchOptions()), tooEarly);
      released.resolve(undefined);
      const { items } = await slow.list(test.directory, listOptions());
      assert.equal(items.length, 1);
      await slow.close();
    });

    describe('writes', () => {
      it('serve what was created, with its resourceVersion', async () => {
        const created = await test.storage.create(test.key('a'), configMap('a', { x: '1' }));
        const { metadata } = created.parse();
        assert.equal(metadata.resourceVersion, String(created.revision));
        const read = await test.storage.get(test.key('a'), { resourceVersion: '' });
        assert.deepEqual(read.json, created.json);
        await assert.rejects(test.storage.create(test.key('a'), configMap('a')), KeyExistsError);
      });
      it('lose no update of 64 concurrent ones', async () => {
        await create('n');
        await Promise.all(
          Array.from({ length: 64 }, () =>
            test.storage.guaranteedUpdate(test.key('n'), {
              ignoreNotFound: false,
              tryUpdate: (current) => {
                const object = current?.parse() ?? configMap('n');
                const data = object['data'] as Record<string, string>;
                return { object: { ...object, data: { n: String(Number(data['n'] ?? '0') + 1) } } };
              },
            }),
          ),
        );
        const { json } = await test.storage.get(test.key('n'), { resourceVersion: '' });
        assert.equal(dataOf(json)['n'], '64');
      });
      it('write nothing when nothing changed, whatever the order of keys', async () => {
        const before = await put('same', { a: '1', b: '2' });
        const after = await put('same', { b: '2', a: '1' });
        assert.equal(after.revision, before.revision);
        await names();
        assert.equal((await put('same', { a: '1', b: '2' })).revision, before.revision);
      });
      it('repeat on the live object what a stale copy refused', async () => {
        const other = testStore(etcd.url, { prefix: test.connection.prefix });
        await create('a');
        await names();
        const changed = await other.storage.guaranteedUpdate(test.key('a'), {
          ignoreNotFound: false,
          tryUpdate: () => ({ object: configMap('a', { v: '2' }) }),
        });
        const updated = await test.storage.guaranteedUpdate(test.key('a'), {
          ignoreNotFound: false,
          preconditions: { resourceVersion: String(changed.revision) },
          tryUpdate: () => ({ object: configMap('a', { v: '3' }) }),
        });
        assert.ok(updated.revision > changed.revision);
        await other.close();
      });
      it('check preconditions', async () => {
        await create('a');
        await assert.rejects(
          test.storage.delete(test.key('a'), { preconditions: { uid: 'other' } }),
          (error) =>
            error instanceof PreconditionError &&
            error.message === 'Precondition failed: UID in precondition: other, UID in object meta: uid-a',
        );
      });
      it('delete with the revision of the deletion', async () => {
        const [created] = await create('a');
        const deleted = await test.storage.delete(test.key('a'), {});
        assert.ok(created !== undefined && deleted.revision > created.revision);
        assert.equal(deleted.parse().metadata.resourceVersion, String(deleted.revision));
        await assert.rejects(test.storage.delete(test.key('a'), {}), KeyNotFoundError);
        await assert.rejects(test.storage.get(test.key('a'), { resourceVersion: '' }), KeyNotFoundError);
      });
      it('expire objects with a ttl', async () => {
        await test.storage.create(test.key('t'), configMap('t'), { ttlSeconds: 1 });
        const stream = await test.storage.watch(test.directory, watchOptions());
        assert.deepEqual((await take(stream, 2, 6_000)).map(describeEvent), ['ADDED t', 'DELETED t']);
        stream.stop();
      });
    });

    describe('lists', () => {
      it('see every write acknowledged before', async () => {
        for (let i = 0; i < 20; i++) {
          await create(`c${String(i)}`);
          assert.equal((await names()).length, i + 1);
        }
      });
      it('page through one state', async () => {
        await create('ca', 'cb', 'cc', 'cd', 'ce');
        const first = await test.storage.list(test.directory, listOptions({ limit: 2 }));
        assert.equal(first.remainingItemCount, 3);
        assert.deepEqual(JSON.parse(Buffer.from(first.continue ?? '', 'base64url').toString()), {
          v: 'meta.k8s.io/v1',
          rv: first.revision,
          start: 'cb\0',
        });
        await create('bb');
        await test.storage.delete(test.key('cd'), {});
        await put('ce', { changed: 'yes' });
        const rest = await test.storage.list(test.directory, listOptions({ continue: first.continue ?? '' }));
        assert.deepEqual(
          rest.items.map((item) => item.attributes.name),
          ['cc', 'cd', 'ce'],
        );
        assert.equal(rest.revision, first.revision);
        assert.equal(rest.continue, undefined);
        assert.deepEqual(dataOf(rest.items[2]?.json ?? Buffer.alloc(0)), {});
        assert.deepEqual(await names({ resourceVersion: String(first.revision), resourceVersionMatch: 'Exact' }), [
          'ca',
          'cb',
          'cc',
          'cd',
          'ce',
        ]);
        assert.deepEqual(await names({ limit: 1, continue: first.continue ?? '' }), ['cc']);
      });
      it('filter pages without a count', async () => {
        await Promise.all(['a', 'b', 'c', 'd'].map((n, i) => put(n, {}, { odd: String(i % 2) })));
        const page = await test.storage.list(
          test.directory,
          listOptions({ limit: 1, predicate: labelled('odd', '1') }),
        );
        assert.deepEqual(
          page.items.map((item) => item.attributes.name),
          ['b'],
        );
        assert.equal(page.remainingItemCount, undefined);
        assert.deepEqual(await names({ continue: page.continue ?? '', predicate: labelled('odd', '1') }), ['d']);
      });
      it('use indexes', async () => {
        await put('a', { node: 'n1' });
        await put('b', { node: 'n2' });
        await put('a', { node: 'n2' });
        assert.deepEqual(await names({ predicate: withField('data.node', 'n2') }), ['a', 'b']);
        assert.deepEqual(await names({ predicate: withField('data.node', 'n1') }), []);
        assert.deepEqual(await names({ predicate: withField('metadata.name', 'b') }), ['b']);
        const one = await test.storage.list(
          test.directory,
          listOptions({ limit: 1, predicate: withField('metadata.name', 'a') }),
        );
        assert.equal(one.continue, undefined);
        const page = async (limit: number, resourceVersionMatch?: 'Exact') =>
          test.storage.list(
            test.directory,
            listOptions({
              limit,
              predicate: withField('data.node', 'n2'),
              ...(resourceVersionMatch === undefined
                ? {}
                : { resourceVersionMatch, resourceVersion: String(last.revision) }),
            }),
          );
        const last = await put('c', { node: 'n1' });
        assert.equal((await page(2)).continue, undefined, 'what the index does not lead to is no more');
        assert.notEqual((await page(1)).continue, undefined);
        assert.notEqual((await page(2, 'Exact')).continue, undefined, 'an older state has no index');
        await test.storage.delete(test.key('c'), {});
        const all = await test.storage.list(
          test.root,
          listOptions({ predicate: withField('metadata.namespace', 'default') }),
        );
        assert.equal(all.items.length, 2);
      });
      it('refuse what cannot be', async () => {
        await create('a');
        await names();
        const future = String((await test.storage.currentRevision()) + 1_000);
        await assert.rejects(
          names({ resourceVersion: future }),
          hasStatus(504, /^Timeout: Too large resource version: /),
        );
        await assert.rejects(names({ resourceVersion: 'abc' }), hasStatus(400, /^invalid resource version: /));
        await assert.rejects(
          names({ resourceVersion: '5', continue: 'e30' }),
          hasStatus(400, /continue key is not valid/),
        );
        await assert.rejects(
          names({ continue: 'abc' }),
          hasStatus(
            400,
            "invalid continue token: continue key is not valid: invalid character 'i' looking for beginning of value",
          ),
        );
      }).timeout(10_000);
      it('tell of compacted revisions', async () => {
        await create('a', 'b');
        const old = await test.storage.list(test.directory, listOptions({ limit: 1 }));
        await create('c');
        const revision = await test.storage.currentRevision();
        await test.connection.compact(revision);
        const fresh = testStore(etcd.url, { prefix: test.connection.prefix });
        await assert.rejects(
          fresh.storage.list(
            test.directory,
            listOptions({ resourceVersion: String(old.revision), resourceVersionMatch: 'Exact' }),
          ),
          hasStatus(410, 'The resourceVersion for the provided list is too old.'),
        );
        let token = '';
        await assert.rejects(
          fresh.storage.list(test.directory, listOptions({ continue: old.continue ?? '' })),
          (error) => {
            assert.ok(isStatusError(error, 'Expired'));
            token = error.status.metadata.continue ?? '';
            return true;
          },
        );
        const rest = await fresh.storage.list(test.directory, listOptions({ continue: token }));
        assert.deepEqual(
          rest.items.map((item) => item.attributes.name),
          ['b', 'c'],
        );
        await fresh.close();
      });
    });

    describe('watches', () => {
      it('tell every change after a revision', async () => {
        const [first] = await create('x');
        await put('x', { v: '2' });
        const stream = await test.storage.watch(
          test.directory,
          watchOptions({ resourceVersion: String(first?.revision) }),
        );
        await create('y');
        await test.storage.delete(test.key('x'), {});
        const events = await take(stream, 3);
        assert.deepEqual(events.map(describeEvent), ['MODIFIED x', 'ADDED y', 'DELETED x']);
        const [, , gone] = events;
        assert.equal(gone?.object?.parse().metadata.resourceVersion, String(gone?.revision));
        stream.stop();
        assert.equal(await stream.next(), undefined);
      });
      it('begin before the cache did', async () => {
        const [first] = await create('x');
        await put('x', { v: '2' });
        await names();
        const stream = await test.storage.watch(
          test.directory,
          watchOptions({ resourceVersion: String(first?.revision) }),
        );
        await put('x', { v: '3' });
        assert.deepEqual((await take(stream, 2)).map(describeEvent), ['MODIFIED x', 'MODIFIED x']);
        stream.stop();
      });
      it('end with 410 when their start is too old', async () => {
        await create('x');
        const stream = await test.storage.watch(test.directory, watchOptions({ resourceVersion: '1' }));
        const [error] = await take(stream, 1);
        assert.equal(error?.status?.reason, 'Expired');
        assert.match(error?.status?.message ?? '', /^too old resource version: 1 \(\d+\)$/);
        assert.equal(await stream.next(), undefined);
      });
      it('turn selector transitions into ADDED and DELETED', async () => {
        const start = await put('a', {}, { on: 'no' });
        const stream = await test.storage.watch(
          test.directory,
          watchOptions({ resourceVersion: String(start.revision), predicate: labelled('on', 'yes') }),
        );
        await put('a', { v: '1' }, { on: 'yes' });
        await put('a', { v: '2' }, { on: 'yes' });
        const left = await put('a', { v: '3' }, { on: 'no' });
        const events = await take(stream, 3);
        assert.deepEqual(events.map(describeEvent), ['ADDED a', 'MODIFIED a', 'DELETED a']);
        assert.equal(events[2]?.revision, left.revision);
        assert.deepEqual(dataOf(events[2]?.object?.json ?? Buffer.alloc(0)), { v: '2' });
        stream.stop();
      });
      it('share one event between watchers, and find watchers of one field value', async () => {
        const start = await put('a', { node: 'n1' });
        const open = (predicate = withField('data.node', 'n2')) =>
          test.storage.watch(test.directory, watchOptions({ resourceVersion: String(start.revision), predicate }));
        const [one, two, byName] = await Promise.all([open(), open(), open(withField('metadata.name', 'b'))]);
        await put('a', { node: 'n2' });
        await put('b', { node: 'n3' });
        const [first] = await take(one, 1);
        const [second] = await take(two, 1);
        assert.equal(first, second);
        assert.deepEqual((await take(byName, 1)).map(describeEvent), ['ADDED b']);
        for (const stream of [one, two, byName]) stream.stop();
      });
      it('send the state first, and a bookmark at its end', async () => {
        await create('a', 'b');
        const stream = await test.storage.watch(
          test.directory,
          watchOptions({ sendInitialEvents: true, allowWatchBookmarks: true }),
        );
        const events = await take(stream, 3);
        assert.deepEqual(events.map(describeEvent), ['ADDED a', 'ADDED b', 'BOOKMARK']);
        assert.equal(events[2]?.initialEventsEnd, true);
        await create('c');
        assert.deepEqual((await take(stream, 1)).map(describeEvent), ['ADDED c']);
        stream.stop();
      });
      it('get a bookmark before their deadline', async () => {
        const created = await create('a');
        const stream = await test.storage.watch(
          test.directory,
          watchOptions({
            resourceVersion: String(created[0]?.revision),
            allowWatchBookmarks: true,
            deadline: Date.now() + 2_300,
          }),
        );
        const events = await take(stream, 1);
        assert.deepEqual(events.map(describeEvent), ['BOOKMARK']);
        assert.ok((events[0]?.revision ?? 0) >= (created[0]?.revision ?? 0));
        stream.stop();
      });
      it('from the future wait for it, and fail in the stream where the state is asked for', async () => {
        await create('a');
        const future = (await test.storage.currentRevision()) + 2;
        const stream = await test.storage.watch(test.directory, watchOptions({ resourceVersion: String(future) }));
        await create('b', 'c', 'd');
        assert.deepEqual(
          (await take(stream, 1)).map(({ revision }) => revision),
          [future + 1],
        );
        stream.stop();
        const withState = await test.storage.watch(
          test.directory,
          watchOptions({ resourceVersion: String(future + 1_000), sendInitialEvents: true }),
        );
        const [error] = await take(withState, 1);
        assert.match(error?.status?.message ?? '', /^Timeout: Too large resource version: /);
        assert.equal(await withState.next(), undefined);
      });
      it('from now on leave out what was acknowledged before', async () => {
        await names();
        await create('a');
        const stream = await test.storage.watch(test.directory, watchOptions({ sendInitialEvents: false }));
        await create('b');
        assert.deepEqual((await take(stream, 1)).map(describeEvent), ['ADDED b']);
        stream.stop();
      });
      it('end for a consumer that does not take its events, and only for that one', async () => {
        await test.close();
        test = testStore(etcd.url, { watchQueueLimits: { softEvents: 10, patience: 60_000, hardEvents: 20 } });
        const start = await put('a', {});
        const open = () =>
          test.storage.watch(test.directory, watchOptions({ resourceVersion: String(start.revision) }));
        const [slow, quick] = await Promise.all([open(), open()]);
        for (let i = 0; i < 30; i++) {
          await put('a', { v: String(i) });
          assert.equal((await take(quick, 1)).length, 1);
        }
        assert.equal(await slow.next(), undefined);
        quick.stop();
      });
    });
  });
}
