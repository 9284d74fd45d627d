import type { KeyHistory } from './key-history.ts';
import type { KeyRange } from './key-range.ts';
import type { MvccStore } from './mvcc-store.ts';
import { noLease, tombstone, type Version } from './version.ts';

/** Is notified of the lease of each key, so that leases have a list of their keys. */
export interface LeaseBook {
  attach(lease: string, key: string): void;
  detach(lease: string, key: string): void;
}

/**
 * The changes of one revision. Each is applied in memory at once and is visible to the next. Nothing here fails: everything that may be rejected is
 * checked before.
 */
export class WriteTxn {
  readonly store: MvccStore;
  readonly changes: Version[] = [];
  readonly #leases: LeaseBook;
  readonly #main: number;

  constructor(store: MvccStore, leases: LeaseBook) {
    this.store = store;
    this.#leases = leases;
    this.#main = store.head + 1;
  }

  /** The revision that a read inside this transaction returns. */
  get revision(): number {
    return this.changes.length === 0 ? this.store.head : this.#main;
  }

  /** `bytes` and `value` are kept by the store: they must not change afterwards. */
  put(bytes: Buffer, value: Buffer, lease: string, key?: string): void {
    const history = this.store.historyOf(bytes, key);
    const { live } = history;
    if (live !== undefined && live.kv.lease !== noLease && live.kv.lease !== lease) {
      this.#leases.detach(live.kv.lease, history.key);
    }
    this.#change(history, {
      key: history.key,
      kv: {
        key: history.bytes,
        createRevision: live?.kv.createRevision ?? this.#main,
        modRevision: this.#main,
        version: (live?.kv.version ?? 0) + 1,
        value,
        lease,
      },
      sub: this.changes.length,
      deleted: false,
    });
    if (lease !== noLease) this.#leases.attach(lease, history.key);
  }

  /** Deletes the keys of `range` and returns their previous versions. */
  delete(range: KeyRange): Version[] {
    const found: [Version, KeyHistory][] = [];
    this.store.visit(range, this.#main, (version, history) => {
      found.push([version, history]);
      return true;
    });
    for (const [{ kv }, history] of found) {
      if (kv.lease !== noLease) this.#leases.detach(kv.lease, history.key);
      this.#change(history, tombstone(history.key, history.bytes, this.#main, this.changes.length));
    }
    return found.map(([version]) => version);
  }

  /** Makes the revision of these changes the store's latest. */
  end(): void {
    this.store.head = this.revision;
  }

  /** Undoes the changes. All later changes must have been undone already. */
  undo(): void {
    for (const { key, kv } of this.changes.toReversed()) {
      const live = this.store.removeLast(key);
      if (kv.lease !== noLease) this.#leases.detach(kv.lease, key);
      if (live !== undefined && live.kv.lease !== noLease) this.#leases.attach(live.kv.lease, key);
    }
    this.store.head = this.#main - 1;
  }

  #change(history: KeyHistory, version: Version): void {
    this.changes.push(version);
    this.store.add(history, version);
  }
}
