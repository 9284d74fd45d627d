import { compareVersions, type Version } from './version.ts';

/** The versions of one key since the last compaction, oldest first. */
export class KeyHistory {
  readonly key: string;
  readonly bytes: Buffer;
  #kept: Version[] = [];

  constructor(key: string, bytes: Buffer) {
    this.key = key;
    this.bytes = bytes;
  }

  get versions(): readonly Version[] {
    return this.#kept;
  }

  /** The current version of the key, unless the key is deleted. */
  get live(): Version | undefined {
    const latest = this.#kept.at(-1);
    return latest === undefined || latest.deleted ? undefined : latest;
  }

  add(version: Version): void {
    // Most keys have a single version, and `push` would allocate space for more.
    if (this.#kept.length === 0) this.#kept = [version];
    else this.#kept.push(version);
  }

  /** Puts `other` in the place of a version that is not the latest one. Returns whether there was such a version. */
  replaceFormer(version: Version, other: Version): boolean {
    const at = this.#position(version.kv.modRevision);
    if (at >= this.#kept.length - 1 || this.#kept[at] !== version) return false;
    this.#kept[at] = other;
    return true;
  }

  removeLast(): Version | undefined {
    return this.#kept.pop();
  }

  /** Sorts versions that were added in any order. */
  sort(): void {
    this.#kept.sort(compareVersions);
  }

  /** The position of the first version at or after `revision`. */
  #position(revision: number): number {
    let low = 0;
    let high = this.#kept.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#kept[middle]?.kv.modRevision ?? revision) < revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The version of the key at `revision`, unless the key did not exist then. */
  at(revision: number): Version | undefined {
    for (let i = this.#kept.length - 1; i >= 0; i--) {
      const version = this.#kept[i];
      if (version !== undefined && version.kv.modRevision <= revision) return version.deleted ? undefined : version;
    }
    return undefined;
  }

  /** Removes the versions that no reader at `revision` or later and no watcher from `revision` on can see. Returns the removed versions. */
  compact(revision: number): Version[] {
    let keep = this.#kept.findIndex(({ kv }) => kv.modRevision >= revision);
    if (keep === -1) keep = this.#kept.length;
    const before = this.#kept[keep - 1];
    // This version is still visible to a reader at `revision`.
    if (before !== undefined && !before.deleted && this.#kept[keep]?.kv.modRevision !== revision) keep--;
    return keep === 0 ? [] : this.#kept.splice(0, keep);
  }
}
