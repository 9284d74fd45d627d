import { compareText } from '@apichain/meta';
import BTreeModule from 'sorted-btree';
import { ByteStore } from './byte-store.ts';
import { EventLog } from './event-log.ts';
import { FormerKeyValue, type FormerValues } from './former-values.ts';
import { FormerVersions } from './former-versions.ts';
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

/** What of the history may be in memory. */
export interface HistoryLimit {
  /** The limit on the memory of former versions. */
  readonly bytes: number;
  /** Where the values of older versions go. Absent = the history is to be compacted. */
  readonly values?: FormerValues;
}

/** How much is written to disk at once when there is too much history in memory. */
const spillBytes = 1 << 19;
/** Shorter values take as little memory as what would stand for them. */
const shortestSpilled = 64;

/**
 * Every version of every key since the last compaction. The current versions are in memory, and of the former ones as much as the limit allows. Independent of durability: a change is visible at its revision as soon as it is
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
  readonly #limit: HistoryLimit | undefined;
  readonly #former = new FormerVersions();
  readonly #byKey = new Map<string, KeyHistory>();
  readonly #tree: KeyTree = new BTree<string, KeyHistory>(undefined, compareText);

  /** Without `limit`, the whole history is in memory. */
  constructor(limit?: HistoryLimit) {
    this.#limit = limit;
  }

  /** The revision at which a compaction halves the history that is in memory, if there is too much of it and it has nowhere else to go. */
  get excessRevision(): number | undefined {
    if (this.#limit === undefined || this.#limit.values !== undefined || this.#former.bytes <= this.#limit.bytes)
      return undefined;
    return this.#former.revisionFor(this.#limit.bytes / 2);
  }

  /** Releases what is on disk. The values of former versions cannot be read afterwards. */
  close(): void {
    this.#limit?.values?.close();
  }

  /** Keeps the values of all versions readable until the result is called, also those that a compaction removes meanwhile. */
  hold(): () => void {
    return this.#limit?.values?.hold() ?? (() => undefined);
  }

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
    this.#addTo(history, version);
    this.events.push(version);
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
    this.#addTo(this.historyOf(version.kv.key, version.key), version);
  }

  #addTo(history: KeyHistory, version: Version): void {
    const before = history.versions.at(-1);
    history.add(version);
    this.bytes += sizeOf(version);
    if (this.#limit === undefined || before === undefined) return;
    this.#former.push(history, before, version.kv.modRevision);
    if (this.#former.bytes > this.#limit.bytes) this.#spill(this.#limit.values);
  }

  /** Moves values of the oldest former versions to disk. */
  #spill(values: FormerValues | undefined): void {
    if (values === undefined) return;
    const spilled: { readonly history: KeyHistory; readonly version: Version }[] = [];
    for (let bytes = 0; bytes < spillBytes;) {
      const former = this.#former.shift();
      if (former === undefined) break;
      const { version } = former;
      bytes += sizeOf(version);
      if (!(version.kv instanceof FormerKeyValue) && version.kv.value.length >= shortestSpilled) spilled.push(former);
    }
    let places;
    try {
      places = values.write(spilled.map(({ version }) => version.kv.value));
    } catch {
      // A full disk. The log cannot be written either, and tells so; these values stay in memory until they are compacted.
      return;
    }
    for (const [at, place] of places.entries()) {
      const former = spilled[at];
      if (former === undefined) continue;
      const { history, version } = former;
      const moved = { ...version, kv: new FormerKeyValue(version.kv, values, place) };
      if (history.replaceFormer(version, moved)) this.events.exchange(version, moved);
      else values.free(place);
    }
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
    this.#former.compact(revision);
    // A key without changes since the last compaction has no versions to remove.
    const touched = new Set(this.events.compact(revision).map(({ key }) => key));
    for (const key of touched) {
      const history = this.#byKey.get(key);
      if (history === undefined) continue;
      for (const version of history.compact(revision)) {
        this.bytes -= sizeOf(version);
        if (version.kv instanceof FormerKeyValue) version.kv.free();
      }
      if (history.versions.length > 0) continue;
      this.#byKey.delete(key);
      this.#tree.delete(key);
    }
  }
}
