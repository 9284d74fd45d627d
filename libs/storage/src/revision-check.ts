import type { EtcdConnection } from './etcd-client.ts';
import { prefixEnd } from './keys.ts';
import type { WatchCache } from './watch-cache.ts';

export interface RevisionCheckOptions {
  readonly connection: Pick<EtcdConnection, 'range'>;
  /** The etcd directory that the cache holds. */
  readonly key: Buffer;
  readonly cache: () => WatchCache | undefined;
  readonly storeKey: (etcdKey: Uint8Array) => string;
  /** Waits for the cache to take in events up to a revision, false when it takes too long. */
  readonly waitFor: (revision: number, timeout: number) => Promise<boolean>;
}

const maxAttempts = 3;
/** How long an event that etcd has may take to arrive, in milliseconds. */
const eventTimeout = 500;

/**
 * Finds out without watch progress whether a cache is up to date, for etcd servers too old for progress requests: asks for
 * the keys changed since the cache's revision and for the number of all keys. No newer key and the same number means that
 * nothing changed, as every other change than a deletion leaves a newer key. The cache then stands at the revision of the
 * answer. Resolves false when it does not get there; the reader must then go to etcd.
 */
export async function checkRevision(options: RevisionCheckOptions): Promise<boolean> {
  const { connection, key, storeKey, waitFor } = options;
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const cache = options.cache();
    if (cache === undefined) return false;
    const { revision, size } = cache;
    // Keys of the cache's own revision are compared too: it may have taken in only some of a transaction's changes.
    const answer = await connection.range({ key, rangeEnd: prefixEnd(key), keysOnly: true, minModRevision: revision });
    const unseen = answer.kvs.filter((kv) => cache.get(storeKey(kv.key))?.revision !== kv.modRevision);
    if (unseen.length === 0 && answer.count === size && answer.kvs.every((kv) => kv.modRevision <= revision)) {
      cache.advance(answer.header?.revision ?? 0);
      return true;
    }
    const newest = answer.kvs.reduce((highest, kv) => Math.max(highest, kv.modRevision), revision + 1);
    await waitFor(newest, eventTimeout);
  }
  return false;
}
