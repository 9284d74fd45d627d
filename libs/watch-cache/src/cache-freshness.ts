import { shareCalls, prefixEnd, type EtcdConnection } from '@apichain/etcd-client';
import { newTooLargeResourceVersion } from '@apichain/meta';
import { toStatusError, type EtcdStore, type ListFreshness } from '@apichain/storage';
import type { CacheFeed } from './cache-feed.ts';
import type { WatchCache } from './watch-cache.ts';

/** How long a read waits for the cache to catch up, in milliseconds. */
const freshnessTimeout = 3_000;

export interface CacheFreshnessOptions {
  readonly connection: EtcdConnection;
  readonly store: EtcdStore;
  readonly feed: CacheFeed;
  /** The etcd directory that the cache holds. */
  readonly key: Buffer;
  /** Called for each read that must include every write acknowledged before it, with whether the cache could serve it. */
  readonly onConsistentRead: (result: 'success' | 'fallback') => void;
}

/** Determines whether a watch cache is fresh enough to serve a list, and waits for a limited time until it is. */
export class CacheFreshness {
  readonly #options: CacheFreshnessOptions;
  readonly #checkRevision: () => Promise<boolean>;

  constructor(options: CacheFreshnessOptions) {
    this.#options = options;
    const { connection, store, feed, key } = options;
    const check = {
      connection,
      key,
      cache: () => feed.current,
      storeKey: (etcdKey: Uint8Array) => store.storeKey(etcdKey),
      waitFor: (revision: number, timeout: number) => feed.waitFor(revision, timeout),
    };
    this.#checkRevision = shareCalls(() => asStatus(checkRevision(check)));
  }

  /**
   * The state of the cache that a list can be served from; undefined when the list must come from etcd. Throws StatusError: 504 for a revision that
   * etcd does not reach in time, 500 and 503 when etcd does not respond.
   */
  async servableRevision(freshness: ListFreshness, cache: WatchCache): Promise<{ exact?: number } | undefined> {
    switch (freshness.kind) {
      case 'any':
        return {};
      case 'consistent':
        return (await this.#isConsistent()) ? {} : undefined;
      case 'notOlderThan':
        return (await this.#catchesUpWith(freshness.revision, cache)) ? {} : undefined;
      case 'exact':
        if (!cache.isRecent(freshness.revision)) return undefined;
        return (await this.#catchesUpWith(freshness.revision, cache)) ? { exact: freshness.revision } : undefined;
    }
  }

  /** Whether the cache includes every write acknowledged before this call. */
  async #isConsistent(): Promise<boolean> {
    const { store, feed, onConsistentRead } = this.#options;
    const reached = (await this.#supportsProgress())
      ? await feed.waitFor(await store.currentRevision(), freshnessTimeout)
      : await this.#checkRevision();
    onConsistentRead(reached ? 'success' : 'fallback');
    return reached;
  }

  async #reaches(revision: number): Promise<boolean> {
    const { feed } = this.#options;
    if ((feed.current?.revision ?? 0) >= revision) return true;
    if (await this.#supportsProgress()) return feed.waitFor(revision, freshnessTimeout);
    return (await this.#checkRevision()) && (feed.current?.revision ?? 0) >= revision;
  }

  /** Like `reaches`, for a revision that a client named: a revision that does not exist yet is rejected. */
  async #catchesUpWith(revision: number, cache: WatchCache): Promise<boolean> {
    if (cache.revision >= revision) return true;
    await this.#checkNotInFuture(revision);
    return this.#reaches(revision);
  }

  #supportsProgress(): Promise<boolean> {
    return asStatus(this.#options.connection.supportsProgress());
  }

  /** Throws 504 when etcd does not reach `revision` within the time that a read may wait. */
  async #checkNotInFuture(revision: number): Promise<void> {
    const { connection, store, feed } = this.#options;
    if (connection.seenRevision >= revision) return;
    if ((await store.currentRevision()) >= revision) return;
    if (await feed.waitFor(revision, freshnessTimeout)) return;
    const current = await store.currentRevision();
    if (current < revision) throw newTooLargeResourceVersion(revision, current);
  }
}

function asStatus<T>(read: Promise<T>): Promise<T> {
  return read.catch((error: unknown) => {
    throw toStatusError(error);
  });
}

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
async function checkRevision(options: RevisionCheckOptions): Promise<boolean> {
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
