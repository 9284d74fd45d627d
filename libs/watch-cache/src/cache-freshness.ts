import { type EtcdConnection, shareCalls } from '@apichain/etcd-client';
import { newTooLargeResourceVersion } from '@apichain/meta';
import { toStatusError, type EtcdStore, type ListFreshness } from '@apichain/storage';
import type { CacheFeed } from './cache-feed.ts';
import { checkRevision } from './revision-check.ts';
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
