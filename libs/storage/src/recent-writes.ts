import type { EncodedObject } from './stored-object.ts';

/** More than a process can have written before the first of them comes back from etcd's watch. */
const maxWrites = 1_024;

/**
 * What this process has written and its cache has not shown yet. An update that follows its own write at once starts from
 * it instead of an older state that etcd would refuse; and when the write comes back as an event it is made already.
 */
export class RecentWrites {
  readonly #byKey = new Map<string, EncodedObject>();

  add(object: EncodedObject): void {
    this.#byKey.delete(object.key);
    this.#byKey.set(object.key, object);
    if (this.#byKey.size <= maxWrites) return;
    const { value: oldest } = this.#byKey.keys().next();
    if (oldest !== undefined) this.#byKey.delete(oldest);
  }

  /** The write of this key that is newer than `shown`, or `shown` itself. */
  newest(key: string, shown: EncodedObject | undefined): EncodedObject | undefined {
    const written = this.#byKey.get(key);
    return written !== undefined && written.revision > (shown?.revision ?? 0) ? written : shown;
  }

  /** A change of this key at `revision` has arrived: the write if it is that change. Forgets it unless it is newer. */
  arrived(key: string, revision: number): EncodedObject | undefined {
    const written = this.#byKey.get(key);
    if (written === undefined || written.revision > revision) return undefined;
    this.#byKey.delete(key);
    return written.revision === revision ? written : undefined;
  }

  /** Another writer, or this process itself, has deleted the key. */
  forget(key: string): void {
    this.#byKey.delete(key);
  }

  clear(): void {
    this.#byKey.clear();
  }
}
