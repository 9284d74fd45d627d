import { compareText } from '@apichain/meta';
import BTreeModule from 'sorted-btree';
import { CacheEvent, type CacheState, type EncodedObject, type ListedCache } from '@apichain/storage';
import type { HistoryBudget } from './history-budget.ts';
import { defaultRingLimits, EventRing, type RingLimits } from './ring.ts';

/** The package is CommonJS: its class is the default member of what Node imports. */
const BTree = BTreeModule.default;
export type ObjectTree = InstanceType<typeof BTree<string, EncodedObject>>;

/** The maximum number of snapshots of older revisions, kept for the remaining pages of lists. They are no older than the history, so they keep no object
 * alive that the history does not. */
const maxSnapshots = 32;

/** The number of objects sampled to estimate the average size. */
const sampleSize = 20;

/** The state of one resource at `revision`, its recent history, and the earlier states that can be reconstructed from it. */
export class WatchCache implements ListedCache {
  #tree: ObjectTree;
  #currentRevision: number;
  #replacedBytes = 0;
  readonly #ring: EventRing;
  readonly #snapshots = new Map<number, ObjectTree>();
  /** For how long a revision is recent, in milliseconds, and at most for twice as long. */
  readonly #window: number;
  /** The newest revision that is not recent, and the one that is next. */
  #old = 0;
  #nextOld: { readonly revision: number; readonly since: number };
  readonly #index: Map<string, Map<string, Set<string>>>;
  /**
   * The current objects that are not in the index yet, by key: those whose attributes nobody has read. A replica that only follows the writes of another one
   * need not read them.
   */
  readonly #unindexed = new Map<string, EncodedObject>();

  constructor(
    objects: readonly EncodedObject[],
    revision: number,
    indexFields: readonly string[] = [],
    limits: RingLimits = defaultRingLimits,
    budget?: HistoryBudget,
  ) {
    this.#window = limits.window;
    this.#nextOld = { revision, since: performance.now() };
    this.#tree = new BTree(
      objects.map((object): [string, EncodedObject] => [object.key, object]),
      compareText,
    );
    this.#currentRevision = revision;
    this.#ring = new EventRing(revision, limits, budget);
    this.#index = new Map(indexFields.map((name) => [name, new Map<string, Set<string>>()]));
    for (const object of objects) this.#addToIndex(object);
  }

  get revision(): number {
    return this.#currentRevision;
  }
  get size(): number {
    return this.#tree.size;
  }
  /** Changes up to this revision (inclusive) are not available. */
  get floor(): number {
    return this.#ring.floor;
  }

  /** The size of the cache. */
  get state(): CacheState {
    const { size: objects } = this;
    let bytes = 0;
    let seen = 0;
    for (const { json } of this.#tree.values()) {
      bytes += json.length;
      if (++seen === sampleSize) break;
    }
    const averageBytes = seen === 0 ? 0 : Math.ceil(bytes / seen);
    return { revision: this.#currentRevision, objects, averageBytes, historyCapacity: this.#ring.capacity };
  }

  /** The current objects by key. Must not be changed, and changes with the next event. */
  get current(): ObjectTree {
    return this.#tree;
  }

  get(key: string): EncodedObject | undefined {
    return this.#tree.get(key);
  }

  /** The bytes of all objects that have been replaced or deleted. */
  get replacedBytes(): number {
    return this.#replacedBytes;
  }

  /** Applies one change. Changes must come in revision order. */
  apply(key: string, revision: number, object: EncodedObject | undefined): CacheEvent | undefined {
    const previous = this.#tree.get(key);
    this.#currentRevision = Math.max(this.#currentRevision, revision);
    if (object === undefined && previous === undefined) return undefined;
    if (previous !== undefined) {
      this.#removeFromIndex(previous);
      previous.forgetShapes();
      this.#replacedBytes += previous.json.length;
    }
    if (object === undefined) {
      this.#tree.delete(key);
    } else {
      this.#tree.set(key, object);
      this.#addToIndex(object);
    }
    const event = new CacheEvent(key, revision, object, previous);
    this.#ring.push(event);
    this.#forgetSnapshots();
    return event;
  }

  /** Advances the revision: nothing of this resource changed up to `revision`. */
  advance(revision: number): void {
    this.#currentRevision = Math.max(this.#currentRevision, revision);
  }

  /** The changes after `revision`, or undefined when some of them have been removed. */
  since(revision: number): CacheEvent[] | undefined {
    return this.#ring.since(revision);
  }

  /** Takes the history out of the budget that it shares with those of other resources. */
  close(): void {
    this.#ring.close();
  }

  /** Frees old history. `now` is a time of `performance.now()`. */
  trim(now: number): void {
    this.#ring.trim(now);
    if (now - this.#nextOld.since >= this.#window) {
      this.#old = this.#nextOld.revision;
      this.#nextOld = { revision: this.#currentRevision, since: now };
    }
    this.#forgetSnapshots();
  }

  /**
   * Whether a list at exactly this revision may be served from here. One at an older revision comes from etcd, which knows what has been compacted: the history
   * of a resource that hardly changes does not end, and its pages would be served for ever.
   */
  isRecent(revision: number): boolean {
    return revision > this.#old;
  }

  /** Keeps the state at a revision for the next pages of a list. */
  keepSnapshot(revision: number, state: ObjectTree): void {
    if (!this.#snapshots.has(revision)) this.#remember(revision, state === this.#tree ? state.clone() : state);
  }

  /** The state at a revision not newer than the cache, or undefined when its history has been removed. Must not be changed. */
  at(revision: number): ObjectTree | undefined {
    if (revision === this.#currentRevision) return this.#tree;
    const kept = this.#snapshots.get(revision);
    if (kept !== undefined) {
      this.#remember(revision, kept);
      return kept;
    }
    const later = this.#ring.since(revision);
    if (later === undefined) return undefined;
    const tree = this.#tree.clone();
    for (const event of later.reverse()) {
      if (event.previous === undefined) tree.delete(event.key);
      else tree.set(event.key, event.previous);
    }
    this.#remember(revision, tree);
    return tree;
  }

  isIndexed(field: string): boolean {
    return this.#index.has(field);
  }

  /** The objects whose attributes `keysWith` is going to read. */
  get unindexed(): Iterable<EncodedObject> {
    return this.#unindexed.values();
  }

  /** The keys of the objects with this value of an indexed field, in order; undefined when the field is not indexed. */
  keysWith(name: string, value: string): string[] | undefined {
    for (const object of this.#unindexed.values()) this.#place(object);
    this.#unindexed.clear();
    const keys = this.#index.get(name)?.get(value);
    if (keys !== undefined) return [...keys].sort(compareText);
    return this.#index.has(name) ? [] : undefined;
  }

  #remember(revision: number, tree: ObjectTree): void {
    this.#snapshots.delete(revision);
    this.#snapshots.set(revision, tree);
    for (const oldest of this.#snapshots.keys()) {
      if (this.#snapshots.size <= maxSnapshots) break;
      this.#snapshots.delete(oldest);
    }
  }

  /** The history may also have lost events to those of another resource. */
  #forgetSnapshots(): void {
    for (const revision of this.#snapshots.keys()) if (revision < this.floor) this.#snapshots.delete(revision);
  }

  #addToIndex(object: EncodedObject): void {
    if (object.knowsAttributes) this.#place(object);
    else if (this.#index.size > 0) this.#unindexed.set(object.key, object);
  }

  #place(object: EncodedObject): void {
    for (const [name, values] of this.#index) {
      const value = object.attributes.fields[name];
      if (value === undefined) continue;
      const keys = values.get(value);
      if (keys === undefined) values.set(value, new Set([object.key]));
      else keys.add(object.key);
    }
  }

  #removeFromIndex(object: EncodedObject): void {
    if (this.#unindexed.delete(object.key)) return;
    for (const [name, values] of this.#index) {
      const value = object.attributes.fields[name];
      const keys = value === undefined ? undefined : values.get(value);
      if (value === undefined || keys === undefined) continue;
      keys.delete(object.key);
      if (keys.size === 0) values.delete(value);
    }
  }
}
