import { type EtcdConnection, prefixEnd } from '@apichain/etcd-client';
import type { WatchCache } from './watch-cache.ts';

export interface RevisionCheckOptions {
  readonly connection: Pick<EtcdConnection, 'range'>;
  /** The etcd directory that the cache holds. */
  readonly key: Buffer;
  readonly cache: () => WatchCache | undefined;
  readonly storeKey: (etcdKey: Uint8Array) => string;
  /** Waits until the cache has processed the events up to a revision; false when that takes too long. */
  readonly waitFor: (revision: number, timeout: number) => Promise<boolean>;
}

const maxAttempts = 3;
/** How long an event that etcd has may take to arrive, in milliseconds. */
const eventTimeout = 500;

/**
 * Determines whether a cache is up to date, for etcd servers too old for progress requests. Requests the keys changed since the cache's revision and
 * the number of all keys. If no key is newer and the number is the same, nothing changed: every change other than a deletion leaves a newer key. The
 * cache then advances to the revision of the response. Resolves false when the cache does not reach that state; the reader must then read from etcd.
 */
export async function checkRevision(options: RevisionCheckOptions): Promise<boolean> {
  const { connection, key, storeKey, waitFor } = options;
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const cache = options.cache();
    if (cache === undefined) return false;
    const { revision, size } = cache;
    // Keys of the cache's own revision are compared too: the cache may have processed only some changes of a transaction.
    const listed = await connection.range({ key, rangeEnd: prefixEnd(key), keysOnly: true, minModRevision: revision });
    const unseen = listed.kvs.filter((kv) => cache.get(storeKey(kv.key))?.revision !== kv.modRevision);
    if (unseen.length === 0 && listed.count === size && listed.kvs.every((kv) => kv.modRevision <= revision)) {
      cache.advance(listed.header?.revision ?? 0);
      return true;
    }
    const newest = listed.kvs.reduce((highest, kv) => Math.max(highest, kv.modRevision), revision + 1);
    await waitFor(newest, eventTimeout);
  }
  return false;
}
