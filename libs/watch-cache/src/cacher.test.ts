import assert from 'node:assert/strict';
import type { EtcdConnection } from '@apichain/etcd-client';
import { StatusError, isStatusError } from '@apichain/meta';
import { eventually } from '@apichain/meta/until.fixture';
import { KeyExistsError, KeyNotFoundError, PreconditionError } from '@apichain/storage';
import {
  codec,
  configMap,
  dataOf,
  describeEvent,
  labelled,
  listOptions,
  take,
  watchOptions,
  withField,
} from '@apichain/storage/store.fixture';
import { createStore } from './cacher.ts';
import { defaultRingLimits } from './ring.ts';
import { testStore } from './store.fixture.ts';
import { onEveryEtcd } from './store-suite.fixture.ts';

const hasStatus = (code: number, message: string | RegExp) => (error: unknown) => {
  assert.ok(error instanceof StatusError, String(error));
  assert.equal(error.code, code);
  if (typeof message === 'string') assert.equal(error.message, message);
  else assert.match(error.message, message);
  return true;
};

onEveryEtcd('store', (store) => {
  it('returns Retry-After while its cache is being filled', async () => {
    await store.create('a');
    const released = Promise.withResolvers<undefined>();
    const connection: EtcdConnection = {
      ...store.connection,
      range: async (request) => {
        await released.promise;
        return store.connection.range(request);
      },
    };
    const slow = createStore({
      connection,
      directory: store.root,
      codec,
      resource: { group: '', resource: 'configmaps' },
      fillTimeoutMs: 50,
    });
    const tooEarly = (error: unknown) =>
      isStatusError(error, 'TooManyRequests') &&
      error.message === 'storage is (re)initializing' &&
      error.status.details?.retryAfterSeconds === 1;
    await assert.rejects(slow.list(store.directory, listOptions()), tooEarly);
    await assert.rejects(slow.watch(store.directory, watchOptions()), tooEarly);
    released.resolve(undefined);
    const { items } = await slow.list(store.directory, listOptions());
    assert.equal(items.length, 1);
    await slow.close();
  });

  it('makes a large list again when its user had to wait for a place', async () => {
    const large = { large: 'x'.repeat(1_000_000) };
    for (let i = 0; i < 10; i++) await store.storage.create(store.key(`c${i}`), configMap(`c${i}`, large));
    await store.storage.list(store.directory, listOptions());
    const place = Promise.withResolvers<void>();
    const replaced: (number | undefined)[] = [];
    const admit = (cache: { readonly replacedBytes: number } | undefined) => {
      replaced.push(cache?.replacedBytes);
      return replaced.length === 1 ? place.promise : undefined;
    };
    const list = store.storage.list(store.directory, listOptions({ admit }));
    while (replaced.length === 0) await new Promise(setImmediate);
    await store.storage.delete(store.key('c0'), {});
    place.resolve();
    const { items } = await list;
    assert.equal(items.length, 9);
    const [before = 0, after = 0] = replaced;
    assert.ok(after - before > 1_000_000, `${before} and then ${after} bytes were replaced`);
    const fail = () => assert.fail('a small list needs no place');
    assert.equal((await store.storage.list(store.key('c1'), listOptions({ admit: fail }))).items.length, 0);
  });

  describe('writes', () => {
    it('serve the created object with its resourceVersion', async () => {
      const created = await store.storage.create(store.key('a'), configMap('a', { x: '1' }));
      const { metadata } = created.parse();
      assert.equal(metadata.resourceVersion, String(created.revision));
      const read = await store.storage.get(store.key('a'), { resourceVersion: '' });
      assert.deepEqual(read.json, created.json);
      await assert.rejects(store.storage.create(store.key('a'), configMap('a')), KeyExistsError);
    });
    it('lose no update of 64 concurrent ones', async () => {
      await store.create('n');
      await Promise.all(
        Array.from({ length: 64 }, () =>
          store.storage.guaranteedUpdate(store.key('n'), {
            ignoreNotFound: false,
            tryUpdate: (current) => {
              const object = current?.parse() ?? configMap('n');
              const data = object['data'] as Record<string, string>;
              return { object: { ...object, data: { n: String(Number(data['n'] ?? '0') + 1) } } };
            },
          }),
        ),
      );
      const { json } = await store.storage.get(store.key('n'), { resourceVersion: '' });
      assert.equal(dataOf(json)['n'], '64');
    });
    it('write nothing when nothing changed, whatever the order of keys', async () => {
      const before = await store.put('same', { a: '1', b: '2' });
      const after = await store.put('same', { b: '2', a: '1' });
      assert.equal(after.revision, before.revision);
      await store.names();
      assert.equal((await store.put('same', { a: '1', b: '2' })).revision, before.revision);
    });
    it('retry on the live object after a stale copy failed', async () => {
      const other = testStore(store.url, { prefix: store.connection.prefix });
      await store.create('a');
      await store.names();
      const changed = await other.storage.guaranteedUpdate(store.key('a'), {
        ignoreNotFound: false,
        tryUpdate: () => ({ object: configMap('a', { v: '2' }) }),
      });
      const updated = await store.storage.guaranteedUpdate(store.key('a'), {
        ignoreNotFound: false,
        preconditions: { resourceVersion: String(changed.revision) },
        tryUpdate: () => ({ object: configMap('a', { v: '3' }) }),
      });
      assert.ok(updated.revision > changed.revision);
      await other.close();
    });
    it('check preconditions', async () => {
      await store.create('a');
      await assert.rejects(
        store.storage.delete(store.key('a'), { preconditions: { uid: 'other' } }),
        (error) =>
          error instanceof PreconditionError &&
          error.message === 'Precondition failed: UID in precondition: other, UID in object meta: uid-a',
      );
    });
    it('delete with the revision of the deletion', async () => {
      const [created] = await store.create('a');
      const deleted = await store.storage.delete(store.key('a'), {});
      assert.ok(created !== undefined && deleted.revision > created.revision);
      assert.equal(deleted.parse().metadata.resourceVersion, String(deleted.revision));
      await assert.rejects(store.storage.delete(store.key('a'), {}), KeyNotFoundError);
      await assert.rejects(store.storage.get(store.key('a'), { resourceVersion: '' }), KeyNotFoundError);
    });
    it('expire objects with a ttl', async () => {
      await store.storage.create(store.key('t'), configMap('t'), { ttlSeconds: 1 });
      const stream = await store.storage.watch(store.directory, watchOptions());
      assert.deepEqual((await take(stream, 2, 6_000)).map(describeEvent), ['ADDED t', 'DELETED t']);
      stream.stop();
    });
  });

  describe('lists', () => {
    it('include every acknowledged write', async () => {
      for (let i = 0; i < 20; i++) {
        await store.create(`c${String(i)}`);
        assert.equal((await store.names()).length, i + 1);
      }
    });
    it('page through one revision', async () => {
      await store.create('ca', 'cb', 'cc', 'cd', 'ce');
      const first = await store.storage.list(store.directory, listOptions({ limit: 2 }));
      assert.equal(first.remainingItemCount, 3);
      assert.deepEqual(JSON.parse(Buffer.from(first.continue ?? '', 'base64url').toString()), {
        v: 'meta.k8s.io/v1',
        rv: first.revision,
        start: 'cb\0',
      });
      await store.create('bb');
      await store.storage.delete(store.key('cd'), {});
      await store.put('ce', { changed: 'yes' });
      const rest = await store.storage.list(store.directory, listOptions({ continue: first.continue ?? '' }));
      assert.deepEqual(
        rest.items.map((item) => item.attributes.name),
        ['cc', 'cd', 'ce'],
      );
      assert.equal(rest.revision, first.revision);
      assert.equal(rest.continue, undefined);
      assert.deepEqual(dataOf(rest.items[2]?.json ?? Buffer.alloc(0)), {});
      assert.deepEqual(await store.names({ resourceVersion: String(first.revision), resourceVersionMatch: 'Exact' }), [
        'ca',
        'cb',
        'cc',
        'cd',
        'ce',
      ]);
      assert.deepEqual(await store.names({ limit: 1, continue: first.continue ?? '' }), ['cc']);
    });
    it('filter pages without a count', async () => {
      await Promise.all(['a', 'b', 'c', 'd'].map((n, i) => store.put(n, {}, { odd: String(i % 2) })));
      const page = await store.storage.list(
        store.directory,
        listOptions({ limit: 1, predicate: labelled('odd', '1') }),
      );
      assert.deepEqual(
        page.items.map((item) => item.attributes.name),
        ['b'],
      );
      assert.equal(page.remainingItemCount, undefined);
      assert.deepEqual(await store.names({ continue: page.continue ?? '', predicate: labelled('odd', '1') }), ['d']);
    });
    it('use indexes', async () => {
      await store.put('a', { node: 'n1' });
      await store.put('b', { node: 'n2' });
      await store.put('a', { node: 'n2' });
      assert.deepEqual(await store.names({ predicate: withField('data.node', 'n2') }), ['a', 'b']);
      assert.deepEqual(await store.names({ predicate: withField('data.node', 'n1') }), []);
      assert.deepEqual(await store.names({ predicate: withField('metadata.name', 'b') }), ['b']);
      const one = await store.storage.list(
        store.directory,
        listOptions({ limit: 1, predicate: withField('metadata.name', 'a') }),
      );
      assert.equal(one.continue, undefined);
      const page = async (limit: number, resourceVersionMatch?: 'Exact') =>
        store.storage.list(
          store.directory,
          listOptions({
            limit,
            predicate: withField('data.node', 'n2'),
            ...(resourceVersionMatch === undefined
              ? {}
              : { resourceVersionMatch, resourceVersion: String(last.revision) }),
          }),
        );
      const last = await store.put('c', { node: 'n1' });
      assert.equal((await page(2)).continue, undefined, 'what the index does not lead to is no more');
      assert.notEqual((await page(1)).continue, undefined);
      assert.notEqual((await page(2, 'Exact')).continue, undefined, 'an older state has no index');
      await store.storage.delete(store.key('c'), {});
      const all = await store.storage.list(
        store.root,
        listOptions({ predicate: withField('metadata.namespace', 'default') }),
      );
      assert.equal(all.items.length, 2);
    });
    it('ignore the limit for resourceVersion 0, and refuse its other spellings', async () => {
      await store.create('a', 'b', 'c');
      const limited = { limit: 1, resourceVersion: '00' };
      assert.deepEqual(await store.names(limited), ['a']);
      assert.deepEqual(await store.names({ ...limited, resourceVersionMatch: 'NotOlderThan' }), ['a']);
      assert.deepEqual(await store.names({ ...limited, limit: 0, resourceVersionMatch: 'Exact' }), ['a', 'b', 'c']);
      const first = await store.storage.list(store.directory, listOptions({ limit: 1 }));
      const rest = { limit: 1, continue: first.continue ?? '' };
      assert.deepEqual(await store.names({ ...rest, resourceVersion: '0' }), ['b', 'c']);
      assert.deepEqual(await store.names(rest), ['b']);
    });
    it('refuse invalid options', async () => {
      await store.create('a');
      await store.names();
      const future = String((await store.storage.currentRevision()) + 1_000);
      await assert.rejects(
        store.names({ resourceVersion: future }),
        hasStatus(504, /^Timeout: Too large resource version: /),
      );
      await assert.rejects(store.names({ resourceVersion: 'abc' }), hasStatus(400, /^invalid resource version: /));
      await assert.rejects(
        store.names({ resourceVersion: '5', continue: 'e30' }),
        hasStatus(400, /continue key is not valid/),
      );
      await assert.rejects(
        store.names({ continue: 'abc' }),
        hasStatus(
          400,
          "invalid continue token: continue key is not valid: invalid character 'i' looking for beginning of value",
        ),
      );
    });
    it('report compacted revisions of a resource whose history goes back further', async () => {
      const ringLimits = { ...defaultRingLimits, window: 0 };
      const quiet = testStore(store.url, { prefix: store.connection.prefix, ringLimits });
      await store.create('a');
      const { revision } = await quiet.storage.list(store.directory, listOptions());
      await store.create('b');
      await store.connection.compact(await store.storage.currentRevision());
      const exact = listOptions({ resourceVersion: String(revision), resourceVersionMatch: 'Exact' });
      await eventually(() =>
        assert.rejects(
          quiet.storage.list(store.directory, exact),
          hasStatus(410, 'The resourceVersion for the provided list is too old.'),
        ),
      );
      await quiet.close();
    });
    it('report compacted revisions', async () => {
      await store.create('a', 'b');
      const old = await store.storage.list(store.directory, listOptions({ limit: 1 }));
      await store.create('c');
      const revision = await store.storage.currentRevision();
      await store.connection.compact(revision);
      const fresh = testStore(store.url, { prefix: store.connection.prefix });
      await assert.rejects(
        fresh.storage.list(
          store.directory,
          listOptions({ resourceVersion: String(old.revision), resourceVersionMatch: 'Exact' }),
        ),
        hasStatus(410, 'The resourceVersion for the provided list is too old.'),
      );
      let token = '';
      await assert.rejects(
        fresh.storage.list(store.directory, listOptions({ continue: old.continue ?? '' })),
        (error) => {
          assert.ok(isStatusError(error, 'Expired'));
          token = error.status.metadata.continue ?? '';
          return true;
        },
      );
      const rest = await fresh.storage.list(store.directory, listOptions({ continue: token }));
      assert.deepEqual(
        rest.items.map((item) => item.attributes.name),
        ['b', 'c'],
      );
      await fresh.close();
    });
  });
});
