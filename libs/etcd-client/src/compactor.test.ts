import assert from 'node:assert/strict';
import { compactOnce } from './compactor.ts';
import { connectEtcd, type EtcdConnection } from './etcd-client.ts';
import { EtcdError } from './etcd-error.ts';
import { putIfAbsent } from './etcd-txn.ts';
import { startTestEtcd, type TestEtcd } from './etcd.fixture.ts';

describe('compaction', () => {
  let etcd: TestEtcd;
  let connection: EtcdConnection;
  before(async () => {
    etcd = await startTestEtcd();
    connection = connectEtcd({ servers: [etcd.url], prefix: '/test' });
  });
  after(async () => {
    await connection.close();
    await etcd.close();
  });

  /** The revision of a new key. */
  const put = async (name: string): Promise<number> => {
    const outcome = await putIfAbsent(connection, Buffer.from(`/test/${name}`), Buffer.from(name), '0');
    assert.ok(outcome.succeeded);
    return outcome.revision;
  };

  it('is done by one of several servers, to the revision of the previous round', async () => {
    const none = { version: 0, revision: 0 };
    const revision = await put('a');
    const first = await compactOnce(connection, none);
    const second = await compactOnce(connection, none);
    assert.deepEqual(second.version, first.version);
    await put('b');

    const next = await compactOnce(connection, first);
    assert.equal(next.version, first.version + 1);
    const late = await compactOnce(connection, second);
    assert.equal(late.version, next.version);
    const key = Buffer.from('/test/a');
    await assert.rejects(connection.range({ key, revision }), EtcdError);
    assert.equal((await connection.range({ key, revision: first.revision })).kvs.length, 1);
  });
});
