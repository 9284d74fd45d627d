import type { CacheEvent, ObjectAttributes, WatchQueue } from '@apichain/storage';

type FieldsOf = (attributes: ObjectAttributes) => string | undefined;

/**
 * The watchers of a resource. An event visits only the watchers that it may concern: those of its namespace are found by that, and those that select one
 * value of an indexed field (one name, one node) by that value. After the indexedWatchers of k8s.io/apiserver/pkg/storage/cacher.
 */
export class WatcherSet {
  readonly #fields: readonly string[];
  /** By the directory that they watch: that of the resource, or of a namespace in it. */
  readonly #byDirectory = new Map<string, FieldIndex>();

  /** `fields`: the field labels by which watchers are indexed, the most selective first. */
  constructor(fields: readonly string[]) {
    this.#fields = fields;
  }

  add(watcher: WatchQueue): void {
    const { directory } = watcher;
    let index = this.#byDirectory.get(directory);
    if (index === undefined) this.#byDirectory.set(directory, (index = new FieldIndex(this.#fields)));
    index.add(watcher);
  }

  delete(watcher: WatchQueue): void {
    const { directory } = watcher;
    const index = this.#byDirectory.get(directory);
    index?.delete(watcher);
    if (index?.isEmpty === true) this.#byDirectory.delete(directory);
  }

  *[Symbol.iterator](): Generator<WatchQueue> {
    for (const index of this.#byDirectory.values()) yield* index;
  }

  dispatch(event: CacheEvent): void {
    const { key } = event;
    for (let end = key.lastIndexOf('/'); end > 0; end = key.lastIndexOf('/', end - 1))
      this.#byDirectory.get(key.slice(0, end + 1))?.dispatch(event);
  }
}

/** The watchers of one directory. */
class FieldIndex {
  readonly #everyone = new Set<WatchQueue>();
  readonly #byField = new Map<
    string,
    { readonly valueOf: FieldsOf; readonly watchers: Map<string, Set<WatchQueue>> }
  >();
  #count = 0;

  constructor(fields: readonly string[]) {
    for (const name of fields) {
      this.#byField.set(name, { valueOf: (attributes) => attributes.fields[name], watchers: new Map() });
    }
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  add(watcher: WatchQueue): void {
    this.#count++;
    this.#groupOf(watcher, true)?.add(watcher);
  }

  delete(watcher: WatchQueue): void {
    if (this.#groupOf(watcher, false)?.delete(watcher) === true) this.#count--;
  }

  *[Symbol.iterator](): Generator<WatchQueue> {
    yield* this.#everyone;
    for (const { watchers } of this.#byField.values()) for (const group of watchers.values()) yield* group;
  }

  dispatch(event: CacheEvent): void {
    for (const watcher of this.#everyone) watcher.offer(event);
    for (const { valueOf, watchers } of this.#byField.values()) {
      if (watchers.size === 0) continue;
      const now = event.object === undefined ? undefined : valueOf(event.object.attributes);
      const before = event.previous === undefined ? undefined : valueOf(event.previous.attributes);
      if (now !== undefined) for (const watcher of watchers.get(now) ?? []) watcher.offer(event);
      if (before !== undefined && before !== now)
        for (const watcher of watchers.get(before) ?? []) watcher.offer(event);
    }
  }

  #groupOf(watcher: WatchQueue, create: boolean): Set<WatchQueue> | undefined {
    for (const [name, { watchers }] of this.#byField) {
      const value = watcher.predicate.exactFields[name];
      if (value === undefined) continue;
      let group = watchers.get(value);
      if (group === undefined && create) watchers.set(value, (group = new Set()));
      if (group?.size === 1 && !create && group.has(watcher)) watchers.delete(value);
      return group;
    }
    return this.#everyone;
  }
}
