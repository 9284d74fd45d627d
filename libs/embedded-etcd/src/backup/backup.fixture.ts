import { EtcdServerError, everyKey } from '@apichain/etcd-api';
import { LeaseService } from '@apichain/etcd-api/etcdserverpb';
import { startEmbeddedEtcd } from '../embedded-etcd.ts';
import { bytes, testClient, type TestClient } from '../server.fixture.ts';
import { readBackup } from './backup.ts';

/** What a client sees: keys with their revisions, and leases. */
export async function seen(client: TestClient) {
  const { kvs, header } = await client.range(everyKey);
  const { leases } = await client.call(LeaseService.leaseLeases, {});
  const ttls = await Promise.all(
    leases.map(async ({ ID }) => [
      ID,
      (await client.call(LeaseService.leaseTimeToLive, { ID, keys: false })).grantedTTL,
    ]),
  );
  return { kvs, revision: header?.revision, ttls: ttls.sort() };
}

/** The same of an embedded store that is started from a backup. */
export async function seenOf(path: string) {
  const etcd = await startEmbeddedEtcd({ memory: true, contents: await readBackup(path), expireLeases: false });
  const client = testClient(etcd.url);
  try {
    return await seen(client);
  } finally {
    client.close();
    await etcd.close();
  }
}

/** Writes keys with several revisions, deleted keys, a lease and a compaction. */
export async function fill(client: TestClient) {
  await client.call(LeaseService.leaseGrant, { ID: '77', TTL: 600 });
  for (let i = 0; i < 50; i++)
    await client.put({ key: bytes(`/registry/${String(i % 20)}`), value: Buffer.alloc(i * 50, 'v') });
  await client.put({ key: Buffer.from([0xff, 0]), value: bytes('binary') });
  await client.put({ key: bytes('/registry/events/a'), value: bytes('e'), lease: '77' });
  await client.deleteRange({ key: bytes('/registry/7') });
  const { header } = await client.put({ key: bytes('/registry/8') });
  await client.compact((header?.revision ?? 0) - 5);
  await client.deleteRange({ key: bytes('/registry/9') });
}

/** The keys at every revision, or the error of the etcd. */
export async function historyOf(client: TestClient) {
  const { header } = await client.range(everyKey);
  const history: unknown[] = [];
  for (let revision = 1; revision <= (header?.revision ?? 0); revision++) {
    try {
      history.push((await client.range({ ...everyKey, revision })).kvs);
    } catch (error) {
      if (!(error instanceof EtcdServerError)) throw error;
      history.push(error.details);
    }
  }
  return history;
}
