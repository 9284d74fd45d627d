import type { KeyHistory } from './key-history.ts';
import type { KeyRange } from './key-range.ts';
import type { MvccStore } from './mvcc-store.ts';
import { noLease, tombstone, type Version } from './version.ts';

/** Told which lease a key hangs on, so that leases know their keys. */
export interface LeaseBook {
  attach(lease: string, key: string): void;
  detach(lease: string, key: string): void;
}

/**
 * The changes of one revision, made in memory one after the other and visible to each other at once. Nothing here fails: whatever may be
 * refused is checked before.
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

  /** The revision a reader inside this transaction is told. */
  get revision(): number {
    return this.changes.length === 0 ? this.store.head : this.#main;
  }

  /** `bytes` and `value` stay in the store: they must not change any more. */
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

  /** Deletes the keys of `range` and returns how they were. */
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

  /** Makes the changes the store's latest revision. */
  end(): void {
    this.store.head = this.revision;
  }

  /** Takes the changes back. Only when all later ones have been taken back already. */
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
