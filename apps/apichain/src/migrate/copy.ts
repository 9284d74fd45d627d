import { createDataDir } from '@apichain/embedded-etcd';
import { makeDirectory } from '@apichain/meta';
import type { EtcdApi, StoredKey } from '../etcd-api.ts';

/** How much was copied. */
export interface Copied {
  readonly keys: number;
  readonly leases: number;
}

/** The number of keys per read. The next constant is etcd's default limit of operations in one transaction. */
const batchKeys = 64;
const maxTxnOperations = 128;
const noLease = '0';

/**
 * Copies the keys of a source at one revision into a new data directory of an embedded etcd. Revisions are preserved: a client that
 * remembers a revision sees the same store with a compacted history.
 */
export async function copyIntoDirectory(
  source: EtcdApi,
  { prefix, revision, directory }: { prefix: string; revision: number; directory: string },
): Promise<Copied> {
  const leases = await remainingLeases(source, prefix, revision);
  let count = 0;
  const keys = async function* () {
    for await (const kv of source.keys(prefix, revision)) {
      if (isExpired(kv, leases)) continue;
      count++;
      yield kv;
    }
  };
  const list = [...leases].map(([id, ttl]) => ({ id, ttl }));
  makeDirectory(directory, 0o700);
  await createDataDir(directory, { revision, leases: list, keys: keys() });
  return { keys: count, leases: leases.size };
}

/**
 * Writes the keys of a source at one revision into a target, with one revision in the target for each revision in the source. This
 * preserves their order. A failure leaves an incomplete target.
 */
export async function copyIntoEtcd(
  source: EtcdApi,
  target: EtcdApi,
  { prefix, revision }: { prefix: string; revision: number },
): Promise<Copied> {
  const leases = await remainingLeases(source, prefix, revision);
  const granted = new Map<string, string>([[noLease, noLease]]);
  const leaseIn = async (id: string): Promise<string> => {
    const known = granted.get(id) ?? (await target.grantLease(leases.get(id) ?? 0));
    granted.set(id, known);
    return known;
  };
  let count = 0;
  for await (const group of inOrder(source, prefix, revision)) {
    const puts: { key: Buffer; value: Buffer; lease: string }[] = [];
    for (const kv of group)
      if (!isExpired(kv, leases)) puts.push({ key: kv.key, value: kv.value, lease: await leaseIn(kv.lease) });
    for (let at = 0; at < puts.length; at += maxTxnOperations) await target.put(puts.slice(at, at + maxTxnOperations));
    count += puts.length;
  }
  return { keys: count, leases: granted.size - 1 };
}

const isExpired = ({ lease }: StoredKey, leases: ReadonlyMap<string, number>) =>
  lease !== noLease && !leases.has(lease);

/** The remaining time in seconds of each lease that has keys attached. */
async function remainingLeases(source: EtcdApi, prefix: string, revision: number): Promise<Map<string, number>> {
  const ids = new Set<string>();
  for await (const { lease } of source.keys(prefix, revision, { keysOnly: true }))
    if (lease !== noLease) ids.add(lease);
  const leases = new Map<string, number>();
  for (const id of ids) {
    const ttl = await source.leaseTtl(id);
    if (ttl !== undefined) leases.set(id, ttl);
  }
  return leases;
}

/** The keys in the order of their last modification, grouped by transaction. */
async function* inOrder(source: EtcdApi, prefix: string, revision: number): AsyncGenerator<StoredKey[]> {
  const order: { key: Buffer; modRevision: number }[] = [];
  for await (const { key, modRevision } of source.keys(prefix, revision, { keysOnly: true }))
    order.push({ key, modRevision });
  order.sort((a, b) => a.modRevision - b.modRevision);
  let group: StoredKey[] = [];
  for (let at = 0; at < order.length; at += batchKeys) {
    const batch = order.slice(at, at + batchKeys).map(({ key }) => key);
    for (const kv of await source.read(batch, revision)) {
      if (group.length > 0 && group[0]?.modRevision !== kv.modRevision) {
        yield group;
        group = [];
      }
      group.push(kv);
    }
  }
  if (group.length > 0) yield group;
}
