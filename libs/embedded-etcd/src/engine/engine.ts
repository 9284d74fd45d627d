import { compacted, futureRevision, leaseNotFound, noSpace, stopped } from '../etcd-server-error.ts';
import type { Lessor } from '../lease/lessor.ts';
import type { StateView } from '../log/checkpoint.ts';
import type { CommitLog } from '../log/commit-log.ts';
import type { Identity } from '../log/recover.ts';
import type { LogRecord } from '../log/record.ts';
import type { MvccStore } from '../mvcc/mvcc-store.ts';
import type { Version } from '../mvcc/version.ts';
import { WriteTxn } from '../mvcc/write-txn.ts';

export interface EngineOptions {
  readonly identity: Identity;
  readonly store: MvccStore;
  readonly lessor: Lessor;
  /** A factory, because the log needs a view of the engine's state. */
  readonly openLog: (view: () => StateView) => Promise<CommitLog>;
  /** The approximate limit on the memory of the versions, in bytes; beyond it writes are rejected. */
  readonly quotaBytes: number;
  /** Default: true. */
  readonly expireLeases?: boolean;
}

/** The interval of the checks for expired leases, in milliseconds, as in etcd. */
const expiryInterval = 500;

const recordOf = (version: Version): LogRecord => ({ kind: 'version', version });

/**
 * The only writer of the store. A change is applied in memory at once, so that the next change builds on it. It is acknowledged, visible to readers
 * and sent to watchers only when it is durable. Readers see the durable revision: it contains every acknowledged write and nothing that a crash
 * could undo. A change that cannot be made durable is undone in memory before any reader has seen it.
 */
export class Engine {
  readonly identity: Identity;
  readonly store: MvccStore;
  readonly lessor: Lessor;
  readonly quotaBytes: number;
  /** Called when changes have become durable. */
  onDurable: (() => void) | undefined;
  #log: CommitLog | undefined;
  #durable: number;
  /** The flush in progress and the revision that it makes durable. */
  #flush: { readonly done: Promise<void>; revision: number } | undefined;
  readonly #expiry: NodeJS.Timeout | undefined;
  #closed = false;

  private constructor(options: EngineOptions) {
    this.identity = options.identity;
    this.store = options.store;
    this.lessor = options.lessor;
    this.quotaBytes = options.quotaBytes;
    this.#durable = options.store.head;
    if (options.expireLeases === false) return;
    this.#expiry = setInterval(() => {
      this.#revokeExpired();
    }, expiryInterval).unref();
  }

  static async open(options: EngineOptions): Promise<Engine> {
    const engine = new Engine(options);
    engine.#log = await options.openLog(() => engine.view());
    return engine;
  }

  /** The revision that readers and watchers see. */
  get revision(): number {
    return this.#durable;
  }

  get isFull(): boolean {
    return this.store.bytes > this.quotaBytes;
  }

  get commitLog(): CommitLog {
    if (this.#log === undefined || this.#closed) throw stopped();
    return this.#log;
  }

  /**
   * Runs `work`, which first checks and then changes. Resolves with its result when everything that `work` has read and written is durable. Throws
   * the errors of `work`, which must not have changed anything before it throws.
   */
  write<Result>(work: (txn: WriteTxn) => Result): Promise<Result> {
    const { commitLog } = this;
    const txn = new WriteTxn(this.store, this.lessor);
    const result = work(txn);
    txn.end();
    if (txn.changes.length > 0) {
      commitLog.append(txn.changes.map(recordOf), () => {
        txn.undo();
      });
    }
    return this.settle().then(() => result);
  }

  /** Throws EtcdServerError when the quota does not allow another put. */
  checkRoom(): void {
    if (this.isFull) throw noSpace();
  }

  /** Grants a lease of at least `ttl` seconds. With `id` '0' the engine chooses the id. */
  async grant(id: string, ttl: number): Promise<{ id: string; ttl: number }> {
    this.checkRoom();
    const lease = this.lessor.propose(id, ttl);
    this.commitLog.append([{ kind: 'grant', ...lease }], () => {
      this.lessor.remove(lease.id);
    });
    this.lessor.grant(lease.id, lease.ttl);
    await this.settle();
    return lease;
  }

  /** Deletes the lease and its keys, in one revision. Throws EtcdServerError when the lease does not exist. */
  async revoke(id: string): Promise<void> {
    const lease = this.lessor.get(id);
    if (lease === undefined) throw leaseNotFound();
    const { commitLog } = this;
    const txn = new WriteTxn(this.store, this.lessor);
    for (const key of [...lease.keys].sort()) txn.delete({ start: key, end: undefined });
    txn.end();
    this.lessor.remove(id);
    commitLog.append([...txn.changes.map(recordOf), { kind: 'revoke', id }], () => {
      this.lessor.restore(lease);
      txn.undo();
    });
    await this.settle();
  }

  /** Ages every lease as if this many milliseconds had passed. Resolves when the leases that have expired are deleted. */
  async ageLeases(milliseconds: number): Promise<void> {
    this.lessor.age(milliseconds);
    for (const { id } of this.lessor.expired()) if (this.lessor.has(id)) await this.revoke(id);
  }

  /**
   * Removes the versions that no reader at `revision` or later needs. Throws EtcdServerError when `revision` is already compacted or does not exist
   * yet.
   */
  async compact(revision: number): Promise<void> {
    if (revision <= this.store.compactRevision) throw compacted();
    if (revision > this.#durable) throw futureRevision();
    const before = this.store.compactRevision;
    this.commitLog.append([{ kind: 'compact', revision }], () => {
      this.store.compactRevision = before;
    });
    this.store.compactRevision = revision;
    await this.settle();
    // Only after the flush: a checkpoint may be copying the history, and the history must stay as long as a crash could undo the compaction.
    this.store.compact(revision);
  }

  /** Resolves when all changes in memory are durable. */
  settle(): Promise<void> {
    const done = this.commitLog.flushed();
    if (this.#flush?.done !== done) {
      const flush = { done, revision: this.store.head };
      this.#flush = flush;
      done.then(
        () => {
          this.#advance(flush.revision);
        },
        () => undefined,
      );
    }
    this.#flush.revision = this.store.head;
    return done;
  }

  /** The state in memory. */
  view(): StateView {
    return {
      ...this.identity,
      revision: this.store.head,
      compactRevision: this.store.compactRevision,
      leases: this.lessor.list().map(({ id, ttl }) => ({ id, ttl })),
      tree: this.store.cloneTree(),
    };
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    const { commitLog } = this;
    this.#closed = true;
    clearInterval(this.#expiry);
    await commitLog.close();
  }

  #advance(revision: number): void {
    if (revision <= this.#durable) return;
    this.#durable = revision;
    this.onDurable?.();
  }

  #revokeExpired(): void {
    for (const { id } of this.lessor.expired()) {
      // A log that cannot be written rejects every write. The lease remains, and the next check revokes it.
      this.revoke(id).catch(() => undefined);
    }
  }
}
