import type { EncodedObject } from './stored-object.ts';

/** More writes than a process can make before the first of them comes back in etcd's watch. */
const maxWrites = 1_024;

/**
 * The writes of this process that its cache does not contain yet. An update right after a write starts from the written object, instead of an older
 * state that etcd would reject. When the write comes back as an event, its object does not have to be decoded.
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

  /** A change of this key at `revision` arrived. Returns the write if it is that change. Forgets the write unless it is newer. */
  arrived(key: string, revision: number): EncodedObject | undefined {
    const written = this.#byKey.get(key);
    if (written === undefined || written.revision > revision) return undefined;
    this.#byKey.delete(key);
    return written.revision === revision ? written : undefined;
  }

  /** Called when the key was deleted, by this process or by another writer. */
  forget(key: string): void {
    this.#byKey.delete(key);
  }

  clear(): void {
    this.#byKey.clear();
  }
}
