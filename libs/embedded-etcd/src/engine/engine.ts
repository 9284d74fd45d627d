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
  /** Made here because it looks back at the engine's state. */
  readonly openLog: (view: () => StateView) => Promise<CommitLog>;
  /** About how much the versions may take in memory, in bytes, before writes are refused. */
  readonly quotaBytes: number;
}

/** As often as etcd looks for expired leases, in milliseconds. */
const expiryInterval = 500;

const recordOf = (version: Version): LogRecord => ({ kind: 'version', version });

/**
 * The one writer. A change is made in memory at once, so that the next one builds on it; it is answered, seen by readers and told to
 * watchers only when it is durable. Readers see the durable revision, which holds every acknowledged write and nothing that a
 * crash could take back. A change that cannot be made durable is taken back from memory, and nobody has seen it.
 */
export class Engine {
  readonly identity: Identity;
  readonly store: MvccStore;
  readonly lessor: Lessor;
  readonly quotaBytes: number;
  /** Told when changes have become durable. */
  onDurable: (() => void) | undefined;
  #log: CommitLog | undefined;
  #durable: number;
  /** The write under way and the revision it makes durable. */
  #flush: { readonly done: Promise<void>; revision: number } | undefined;
  readonly #expiry: NodeJS.Timeout;
  #closed = false;

  private constructor(options: EngineOptions) {
    this.identity = options.identity;
    this.store = options.store;
    this.lessor = options.lessor;
    this.quotaBytes = options.quotaBytes;
    this.#durable = options.store.head;
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
   * Runs `work`, which checks and then changes, and resolves with its result when all it has read and written is durable. Throws what
   * `work` throws; then it must have changed nothing.
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

  /** Throws EtcdServerError when the quota leaves no room for a put. */
  checkRoom(): void {
    if (this.isFull) throw noSpace();
  }

  /** Grants a lease of at least `ttl` seconds; `id` '0' lets the engine choose. */
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

  /** Deletes the lease's keys, in one revision, and the lease. Throws EtcdServerError when there is none. */
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

  /** As if this many milliseconds had passed for every lease. Resolves when those that have expired by it are gone. */
  async ageLeases(milliseconds: number): Promise<void> {
    this.lessor.age(milliseconds);
    for (const { id } of this.lessor.expired()) if (this.lessor.has(id)) await this.revoke(id);
  }

  /** Forgets the versions that no reader at `revision` or later needs. Throws EtcdServerError when that is done already or not yet possible. */
  async compact(revision: number): Promise<void> {
    if (revision <= this.store.compactRevision) throw compacted();
    if (revision > this.#durable) throw futureRevision();
    const before = this.store.compactRevision;
    this.commitLog.append([{ kind: 'compact', revision }], () => {
      this.store.compactRevision = before;
    });
    this.store.compactRevision = revision;
    await this.settle();
    // Only now: a checkpoint may be copying the history, and must not lose what a crash would bring back.
    this.store.compact(revision);
  }

  /** Resolves when everything in memory is durable. */
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

  /** The state as it is in memory. */
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
      // A log that cannot be written refuses every writer; the lease stays, and is looked at again.
      this.revoke(id).catch(() => undefined);
    }
  }
}
