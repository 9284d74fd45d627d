import type { CacheEvent, ObjectAttributes, WatchQueue } from '@apichain/storage';

type FieldsOf = (attributes: ObjectAttributes) => string | undefined;

/**
 * The watchers of a resource. An event visits only the watchers that it may concern: watchers that select one value of an indexed field (one name,
 * one node) are found by that value.
 */
export class WatcherSet {
  readonly #everyone = new Set<WatchQueue>();
  readonly #byField = new Map<string, { valueOf: FieldsOf; watchers: Map<string, Set<WatchQueue>> }>();

  /** `fields`: the field labels by which watchers are indexed, the most selective first. */
  constructor(fields: readonly string[]) {
    for (const name of fields) {
      this.#byField.set(name, { valueOf: (attributes) => attributes.fields[name], watchers: new Map() });
    }
  }

  #count = 0;
  get size(): number {
    return this.#count;
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
