import assert from 'node:assert/strict';
import type { KeyValue } from '@apichain/etcd-api/mvccpb';
import fc from 'fast-check';
import { listFromEtcd, type EtcdListRequest } from './etcd-list.ts';
import type { AdmitLargeList } from './large-list.ts';
import { EncodedObject } from './stored-object.ts';
import { everything } from './storage.ts';
import { codec } from './store.fixture.ts';

const revision = 7;
const directory = '/configmaps/';

/** An etcd that holds an object of each of these sizes in bytes, in this order. `pages` are the sizes in bytes of its responses. */
function etcdOf(sizes: readonly number[]) {
  const stored = sizes.map((bytes, i): KeyValue => ({
    key: Buffer.from(`${directory}${String(i).padStart(6, '0')}`),
    value: Buffer.alloc(bytes),
    createRevision: revision,
    modRevision: revision,
    version: 1,
    lease: '0',
  }));
  const pages: number[] = [];
  const connection: EtcdListRequest['connection'] = {
    prefix: '',
    currentRevision: () => Promise.resolve(revision),
    range: ({ key, limit = 0 }) => {
      const rest = stored.filter((kv) => Buffer.compare(kv.key, key) >= 0);
      const kvs = limit === 0 ? rest : rest.slice(0, limit);
      pages.push(kvs.reduce((sum, { value }) => sum + value.length, 0));
      const header = { clusterId: '0', memberId: '0', revision, raftTerm: 0 };
      return Promise.resolve({ header, kvs, more: kvs.length < rest.length, count: rest.length });
    },
  };
  const list = (limit: number, admit?: AdmitLargeList) =>
    listFromEtcd({
      connection,
      directory,
      plan: { freshness: { kind: 'consistent' }, limit, start: '', continued: false },
      predicate: everything,
      read: (kv) => Promise.resolve(new EncodedObject(codec, kv.key.toString(), kv.modRevision, kv.value)),
      admit,
    });
  return { list, pages };
}

describe('listFromEtcd', () => {
  it('lists every object once, whatever the sizes and the limit', async () => {
    const size = fc.oneof(fc.nat(100), fc.integer({ min: 1, max: 300_000 }));
    await fc.assert(
      fc.asyncProperty(fc.array(size, { maxLength: 120 }), fc.nat(130), async (sizes, limit) => {
        const result = await etcdOf(sizes).list(limit);
        const expected = limit === 0 ? sizes.length : Math.min(limit, sizes.length);
        assert.equal(result.items.length, expected);
        assert.equal(new Set(result.items.map(({ key }) => key)).size, expected);
        assert.equal(result.continue === undefined, expected === sizes.length);
        if (expected < sizes.length) assert.equal(result.remainingItemCount, sizes.length - expected);
      }),
      { numRuns: 50 },
    );
  });

  it('takes few large objects a page, and many small ones', async () => {
    const large = etcdOf(Array.from({ length: 200 }, () => 1_100_000));
    assert.equal((await large.list(0)).items.length, 200);
    assert.ok(Math.max(...large.pages) < 20_000_000, `${String(Math.max(...large.pages))} bytes`);
    const limited = etcdOf(Array.from({ length: 200 }, () => 1_100_000));
    assert.equal((await limited.list(150)).items.length, 150);
    assert.ok(Math.max(...limited.pages) < 20_000_000);
    const small = etcdOf(Array.from({ length: 20_000 }, () => 1_000));
    assert.equal((await small.list(0)).items.length, 20_000);
    assert.ok(small.pages.length < 8, `${String(small.pages.length)} pages`);
  });

  it('keeps nothing while a large list waits for its place, and reads it again', async () => {
    const etcd = etcdOf(Array.from({ length: 100 }, () => 1_100_000));
    const place = Promise.withResolvers<void>();
    let asked = 0;
    const list = etcd.list(0, () => (asked++ === 0 ? place.promise : undefined));
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual([asked, etcd.pages.length], [1, 1]);
    place.resolve();
    assert.equal((await list).items.length, 100);
    assert.equal(etcd.pages[1], etcd.pages[0]);
    const small = etcdOf(Array.from({ length: 100 }, () => 1_000));
    await small.list(0, () => assert.fail('a small list needs no place'));
  });
});
