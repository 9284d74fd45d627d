import { compareText } from '@apichain/meta';
import BTreeModule from 'sorted-btree';
import { ByteStore } from './byte-store.ts';
import { EventLog } from './event-log.ts';
import { KeyHistory } from './key-history.ts';
import { keyOf, type KeyRange } from './key-range.ts';
import { compareVersions, sizeOf, type Version } from './version.ts';

/** The package is CommonJS: its class is the default member of what Node imports. */
const BTree = BTreeModule.default;
type Found = (key: string, history: KeyHistory) => { break: true } | undefined;

/**
 * The part of the B-tree that is used, declared here: published types must not depend on how the user's compiler resolves a CommonJS default export.
 */
export interface KeyTree {
  set(key: string, history: KeyHistory): boolean;
  delete(key: string): boolean;
  /** Calls `found` in key order until it returns `{ break: true }`. */
  forRange(start: string, end: string, includeEnd: boolean, found: Found): unknown;
  values(): Iterable<KeyHistory>;
  clone(): KeyTree;
}

/**
 * Every version of every key since the last compaction, in memory. Independent of durability: a change is visible at its revision as soon as it is
 * added.
 */
export class MvccStore {
  readonly events = new EventLog();
  /** The revision of the latest change; 1 in an empty store, as in etcd. */
  head = 1;
  /** Reads and watches before this revision are rejected; -1 before the first compaction. */
  compactRevision = -1;
  /** The approximate memory of the versions, in bytes. */
  bytes = 0;
  readonly #kept = new ByteStore();
  readonly #byKey = new Map<string, KeyHistory>();
  readonly #tree: KeyTree = new BTree<string, KeyHistory>(undefined, compareText);

  get(key: string): KeyHistory | undefined {
    return this.#byKey.get(key);
  }

  get keyCount(): number {
    return this.#byKey.size;
  }

  /** A clone of the current index of keys that later changes do not affect. The histories in it are shared and continue to change. */
  cloneTree(): KeyTree {
    return this.#tree.clone();
  }

  /** The history of every key that has versions, in no particular order. */
  histories(): Iterable<KeyHistory> {
    return this.#byKey.values();
  }

  /** Calls `visit` for the keys of `range` that existed at `revision`, in order, until it returns false. */
  visit(range: KeyRange, revision: number, visit: (version: Version, history: KeyHistory) => boolean): void {
    if (range.end === undefined) {
      const history = this.#byKey.get(range.start);
      const version = history?.at(revision);
      if (history !== undefined && version !== undefined) visit(version, history);
      return;
    }
    if (range.start >= range.end) return;
    this.#tree.forRange(range.start, range.end, false, (_key, history) => {
      const version = history.at(revision);
      if (version !== undefined && !visit(version, history)) return { break: true };
      return undefined;
    });
  }

  /** Copies the bytes of a request into long-lived memory. */
  keep(bytes: Buffer): Buffer {
    return this.#kept.keep(bytes);
  }

  /** Adds a change. The caller advances `head`. */
  add(history: KeyHistory, version: Version): void {
    history.add(version);
    this.events.push(version);
    this.bytes += sizeOf(version);
  }

  /** Undoes the latest change, which must be a change of this key. Returns the resulting version of the key. */
  removeLast(key: string): Version | undefined {
    const history = this.#byKey.get(key);
    const version = history?.removeLast();
    if (history === undefined || version === undefined) return undefined;
    this.events.removeLast();
    this.bytes -= sizeOf(version);
    if (history.versions.length === 0) {
      this.#byKey.delete(key);
      this.#tree.delete(key);
    }
    return history.live;
  }

  historyOf(bytes: Buffer, key = keyOf(bytes)): KeyHistory {
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const history = new KeyHistory(key, bytes);
    this.#byKey.set(key, history);
    this.#tree.set(key, history);
    return history;
  }

  /** Adds a version read from a checkpoint. `finishLoading` must follow the last one. */
  load(version: Version): void {
    this.historyOf(version.kv.key, version.key).add(version);
    this.bytes += sizeOf(version);
  }

  finishLoading(): void {
    const events: Version[] = [];
    for (const history of this.#byKey.values()) {
      history.sort();
      for (const version of history.versions) {
        if (version.kv.modRevision >= this.compactRevision) events.push(version);
      }
    }
    this.events.replace(events.sort(compareVersions));
  }

  /** Removes the versions that a compaction at `revision` makes unreachable. */
  compact(revision: number): void {
    // A key without changes since the last compaction has no versions to remove.
    const touched = new Set(this.events.compact(revision).map(({ key }) => key));
    for (const key of touched) {
      const history = this.#byKey.get(key);
      if (history === undefined) continue;
      for (const version of history.compact(revision)) this.bytes -= sizeOf(version);
      if (history.versions.length > 0) continue;
      this.#byKey.delete(key);
      this.#tree.delete(key);
    }
  }
}
