import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { everyKey } from '@apichain/etcd-api';
import { LeaseService } from '@apichain/etcd-api/etcdserverpb';
import { startEmbeddedEtcd } from '../embedded-etcd.ts';
import { bytes, testClient } from '../server.fixture.ts';

describe('a lease of the embedded etcd', () => {
  it('deletes its keys when it expires, in one revision that watches receive', async () => {
    const etcd = await startEmbeddedEtcd({ memory: true });
    const client = testClient(etcd.url);
    const { ID, TTL } = await client.call(LeaseService.leaseGrant, { ID: '0', TTL: 1 });
    assert.equal(TTL, 2, 'the shortest that etcd grants');
    for (const key of ['b', 'a', 'c']) await client.put({ key: bytes(key), lease: ID });
    await client.put({ key: bytes('c') });
    const watch = client.watch();
    watch.create(everyKey);
    await watch.until((responses) => responses.some(({ events }) => events.length > 0));
    const events = watch.responses.flatMap((response) => response.events);
    assert.deepEqual(
      events.map(({ type, kv }) => [type, String(kv?.key)]),
      [
        [1, 'a'],
        [1, 'b'],
      ],
    );
    assert.equal(new Set(events.map(({ kv }) => kv?.modRevision)).size, 1);
    assert.deepEqual(
      (await client.range(everyKey)).kvs.map(({ key }) => String(key)),
      ['c'],
    );
    await assert.rejects(client.put({ key: bytes('a'), lease: ID }), /requested lease not found/);
    watch.close();
    client.close();
    await etcd.close();
  });

  it('survives a restart, with its keys', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'apichain-lease-'));
    let etcd = await startEmbeddedEtcd({ dataDir });
    let client = testClient(etcd.url);
    const { ID } = await client.call(LeaseService.leaseGrant, { ID: '-5', TTL: 60 });
    await client.put({ key: bytes('a'), lease: ID });
    client.close();
    await etcd.close();
    etcd = await startEmbeddedEtcd({ dataDir });
    client = testClient(etcd.url);
    const lease = await client.call(LeaseService.leaseTimeToLive, { ID, keys: true });
    assert.deepEqual([lease.grantedTTL, lease.keys.map(String)], [60, ['a']]);
    await client.call(LeaseService.leaseRevoke, { ID });
    assert.equal((await client.range(everyKey)).count, 0);
    client.close();
    await etcd.close();
    rmSync(dataDir, { recursive: true });
  });
});
