import assert from 'node:assert/strict';
import { compactOnce } from './compactor.ts';
import { EtcdError } from './etcd-error.ts';
import { startTestEtcd, type TestEtcd } from './etcd.fixture.ts';
import { configMap, testStore, type TestStore } from './store.fixture.ts';

describe('compaction', () => {
  let etcd: TestEtcd;
  let test: TestStore;
  before(async () => {
    etcd = await startTestEtcd();
    test = testStore(etcd.url);
  });
  after(async () => {
    await test.close();
    await etcd.close();
  });

  it('is done by one of several servers, to the revision of the previous round', async () => {
    const none = { version: 0, revision: 0 };
    const { revision } = await test.storage.create(test.key('a'), configMap('a'));
    const first = await compactOnce(test.connection, none);
    const second = await compactOnce(test.connection, none);
    assert.deepEqual(second.version, first.version);
    await test.storage.create(test.key('b'), configMap('b'));

    const next = await compactOnce(test.connection, first);
    assert.equal(next.version, first.version + 1);
    const late = await compactOnce(test.connection, second);
    assert.equal(late.version, next.version);
    const key = Buffer.from(`${test.connection.prefix}${test.key('a')}`);
    await assert.rejects(test.connection.range({ key, revision }), EtcdError);
    assert.equal((await test.connection.range({ key, revision: first.revision })).kvs.length, 1);
  });
});
