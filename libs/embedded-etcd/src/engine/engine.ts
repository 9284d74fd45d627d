import { compacted, futureRevision, leaseNotFound, noSpace, stopped } from '../etcd-server-error.ts';
import type { Lessor } from '../lease/lessor.ts';
import type { StateView } from '../log/checkpoint.ts';
import type { CommitLog } from '../log/commit-log.ts';
import type { Identity } from '../log/recover.ts';
import type { LogRecord } from '../log/record.ts';
import type { MvccStore } from '../mvcc/mvcc-store.ts';
import type { Version } from '../mvcc/version.ts';
import { WriteTxn } from '../mvcc/write-txn.ts';
import { leaseCost, Quota } from './quota.ts';

export interface EngineOptions {
  readonly identity: Identity;
  readonly store: MvccStore;
  readonly lessor: Lessor;
  /** A factory, because the log needs a view of the engine's state. */
  readonly openLog: (view: () => StateView) => Promise<CommitLog>;
  /** The limit on the size of the database, in bytes. */
  readonly quotaBytes: number;
  /** The members for which the alarm NOSPACE was raised before. */
  readonly alarms?: Iterable<string>;
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
  readonly #quota: Quota;
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
    this.#quota = new Quota(options.quotaBytes);
    for (const member of options.alarms ?? []) this.#quota.alarms.add(member);
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

  /** The size of the database, in bytes: what it would be in etcd, whose file never becomes smaller by itself. */
  get databaseSize(): number {
    return this.#quota.sizeWith(this.store.bytes);
  }

  /** The members for which the alarm NOSPACE is raised. */
  get alarms(): readonly string[] {
    return [...this.#quota.alarms];
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

  /** Throws EtcdServerError, and raises the alarm, when the quota does not allow a write of so many bytes. */
  checkRoom(cost: number): void {
    const hasRoom = this.#quota.hasRoom(this.store.bytes, cost);
    if (hasRoom && this.#quota.alarms.size === 0) return;
    // The alarm is for the clients and the next start. Whether it can be written does not matter to this write, which is refused.
    if (!hasRoom) this.setAlarm(this.identity.memberId, true).catch(() => undefined);
    throw noSpace();
  }

  /** Raises or disarms the alarm NOSPACE of a member. Resolves with whether that changed something. */
  async setAlarm(memberId: string, raised: boolean): Promise<boolean> {
    const { alarms } = this.#quota;
    if (alarms.has(memberId) === raised) return false;
    const set = (wanted: boolean) => void (wanted ? alarms.add(memberId) : alarms.delete(memberId));
    this.commitLog.append([{ kind: 'alarm', memberId, raised }], () => {
      set(!raised);
    });
    set(raised);
    await this.settle();
    return true;
  }

  /** Gives the space of what was removed back. */
  async defragment(): Promise<void> {
    await this.commitLog.checkpoint();
    this.#quota.defragment();
  }

  /** Grants a lease of at least `ttl` seconds. With `id` '0' the engine chooses the id. */
  async grant(id: string, ttl: number): Promise<{ id: string; ttl: number }> {
    this.checkRoom(leaseCost);
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
      alarms: this.alarms,
      leases: this.lessor.list().map(({ id, ttl }) => ({ id, ttl })),
      hold: () => this.store.hold(),
      tree: this.store.cloneTree(),
    };
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    const { commitLog } = this;
    this.#closed = true;
    clearInterval(this.#expiry);
    try {
      await commitLog.close();
    } finally {
      this.store.close();
    }
  }

  #advance(revision: number): void {
    if (revision <= this.#durable) return;
    this.#durable = revision;
    this.onDurable?.();
    const excess = this.store.excessRevision;
    // When it fails, the next write tries again.
    if (excess !== undefined && excess <= revision) this.compact(excess).catch(() => undefined);
  }

  #revokeExpired(): void {
    for (const { id } of this.lessor.expired()) {
      // A log that cannot be written rejects every write. The lease remains, and the next check revokes it.
      this.revoke(id).catch(() => undefined);
    }
  }
}
