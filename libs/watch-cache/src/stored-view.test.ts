import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { connectEtcd, putOp, rangeOp } from '@apichain/etcd-client';
import { startTestEtcd, type TestEtcd } from '@apichain/etcd-client/etcd.fixture';
import { FollowedObjects, type StoredView, encryptionOf } from '@apichain/storage';
import { codec, configMap, dataOf, listOptions, take, watchOptions } from '@apichain/storage/store.fixture';
import { testStore } from './store.fixture.ts';

const view: StoredView = {
  show: (json) => Buffer.from(JSON.stringify({ ...(JSON.parse(json.toString()) as object), data: { shown: 'yes' } })),
  standIn: (key, value, error) => ({
    json: codec.encode(configMap(key.slice(key.lastIndexOf('/') + 1))),
    reason: `${value.length} bytes: ${error instanceof Error ? error.message : ''}`,
  }),
};

describe('a store with a view', () => {
  let etcd: TestEtcd;
  before(async () => {
    etcd = await startTestEtcd();
  });
  after(() => etcd.close());

  for (const watchCache of [true, false])
    it(`shows every object, and a stand-in for what cannot be read, ${watchCache ? 'with' : 'without'} a watch cache`, async () => {
      const prefix = `/view-${watchCache}`;
      const plain = testStore(etcd.url, { prefix });
      const viewed = testStore(etcd.url, { prefix, view, watchCache });
      try {
        await plain.storage.create(plain.key('a'), configMap('a', { secret: 'word' }));
        const put = (name: string, text: string) =>
          plain.connection.txn({
            compare: [],
            success: [putOp(Buffer.from(prefix + plain.key(name)), Buffer.from(text), '0')],
            failure: [],
          });
        await put('b', 'k8s:enc:aescbc:v1:key1:xyz');
        await put('c', 'no json');
        const { items } = await viewed.storage.list(viewed.root, listOptions());
        assert.deepEqual(
          items.map(({ attributes, unreadable }) => [attributes.name, unreadable]),
          [
            ['a', undefined],
            ['b', '26 bytes: identity transformer tried to read encrypted data'],
            ['c', items[2]?.unreadable],
          ],
        );
        assert.match(items[2]?.unreadable ?? '', /^7 bytes: ./);
        const shown = await viewed.storage.get(viewed.key('a'), { resourceVersion: '' });
        assert.deepEqual(dataOf(shown.json), { shown: 'yes' });
        assert.match(shown.json.toString(), new RegExp(`"resourceVersion":"${shown.revision}"`));
        const last = String(items[2]?.revision);
        const stream = await viewed.storage.watch(viewed.root, watchOptions({ resourceVersion: last }));
        await put('d', 'k8s:enc:aescbc:v1:key1:xyz');
        await put('e', 'no json');
        const seen = await take(stream, 2);
        assert.deepEqual(
          seen.map(({ object }) => object?.unreadable?.slice(0, 8)),
          ['26 bytes', '7 bytes:'],
        );
        stream.stop();
      } finally {
        await plain.close();
        await viewed.close();
      }
    });

  it('does not configure a server with what cannot be read', async () => {
    const prefix = '/followed';
    const store = testStore(etcd.url, { prefix, view });
    const { connection, storage, root, key } = store;
    const stop = new AbortController();
    const known = new Set<string>();
    const put = (name: string, value: Buffer) =>
      connection.txn({ compare: [], success: [putOp(Buffer.from(prefix + key(name)), value, '0')], failure: [] });
    await put('bad', Buffer.from('no json'));
    await put('good', codec.encode(configMap('good')));
    const followed = new FollowedObjects({
      store: { storage, prefix: root.replace(/\/$/, '') },
      onChange: ({ put: changed, dropped }) => {
        for (const object of changed) known.add(object.attributes.name);
        for (const name of dropped) known.delete(name.slice(name.lastIndexOf('/') + 1));
      },
    });
    const running = followed.run(stop.signal);
    await followed.waitForSync();
    assert.deepEqual([...known], ['good']);
    await put('good', Buffer.from('no json any more'));
    for (let i = 0; known.size > 0 && i < 200; i++) await delay(10);
    assert.deepEqual([...known], []);
    stop.abort();
    await running;
    await store.close();
  });

  it('lists a part before the cache is filled, and fills it for a list of everything', async () => {
    const store = testStore(etcd.url, { prefix: '/parts', partsFillCache: false });
    const { storage, root, key } = store;
    await storage.create(key('a'), configMap('a'));
    const part = `${root.replace(/\/$/, '')}/default/`;
    const names = async (directory: string) =>
      (await storage.list(directory, listOptions())).items.map(({ attributes }) => attributes.name);
    assert.deepEqual(await names(part), ['a']);
    const cached = () => storage.cacheState?.objects;
    assert.equal(cached(), undefined);
    assert.deepEqual(await names(root), ['a']);
    assert.equal(cached(), 1);
    assert.deepEqual(await names(part), ['a']);
    await store.close();
  });

  it('sends nothing that writes over a connection that is read-only', async () => {
    const connection = connectEtcd({ servers: [etcd.url], prefix: '/read-only', readOnly: true });
    const key = Buffer.from('/read-only/a');
    const before = await connection.currentRevision();
    const put = putOp(key, Buffer.from('a'), '0');
    const refused = { name: 'ReadOnlyError' };
    await assert.rejects(connection.txn({ compare: [], success: [put], failure: [] }), refused);
    await assert.rejects(connection.txn({ compare: [], success: [rangeOp(key)], failure: [put] }), refused);
    await assert.rejects(connection.compact(before), refused);
    await assert.rejects(connection.grantLease(60), refused);
    const { succeeded } = await connection.txn({ compare: [], success: [rangeOp(key)], failure: [] });
    assert.equal(succeeded, true);
    assert.equal(await connection.currentRevision(), before);
    await connection.close();
  });

  it('knows how a value is encrypted', () => {
    const how = (text: string) => encryptionOf(Buffer.from(text));
    assert.equal(how('k8s:enc:aescbc:v1:key1:abc'), 'aescbc, key "key1"');
    assert.equal(how('k8s:enc:kms:v2:vault:abc'), 'kms v2, plugin "vault"');
    assert.equal(how('k8s\0protobuf'), undefined);
    assert.equal(how('{"kind":"Pod"}'), undefined);
    assert.equal(how(''), undefined);
  });
});
