import type { KeyHistory } from './key-history.ts';
import { sizeOf, type Version } from './version.ts';

/** A version that a later change of its key has replaced. */
interface FormerVersion {
  readonly history: KeyHistory;
  readonly version: Version;
  /** The revision of that change: a compaction from there on removes the version. */
  readonly until: number;
}

/** The replaced versions whose values are in memory, in the order in which they were replaced. */
export class FormerVersions {
  /** Their approximate memory. */
  bytes = 0;
  #queue: FormerVersion[] = [];
  #first = 0;

  push(history: KeyHistory, version: Version, until: number): void {
    this.#queue.push({ history, version, until });
    this.bytes += sizeOf(version);
  }

  /** Removes the version that was replaced first. */
  shift(): FormerVersion | undefined {
    const former = this.#queue[this.#first];
    if (former === undefined) return undefined;
    this.#first++;
    this.bytes -= sizeOf(former.version);
    if (this.#first * 2 > this.#queue.length) {
      this.#queue = this.#queue.slice(this.#first);
      this.#first = 0;
    }
    return former;
  }

  /** Removes the versions that a compaction at `revision` removes. */
  compact(revision: number): void {
    while ((this.#queue[this.#first]?.until ?? Infinity) <= revision) this.shift();
  }

  /** The lowest revision whose compaction leaves at most so many bytes. Undefined = there are no more already. */
  revisionFor(bytes: number): number | undefined {
    let rest = this.bytes;
    let revision: number | undefined;
    for (let at = this.#first; rest > bytes; at++) {
      const former = this.#queue[at];
      if (former === undefined) break;
      rest -= sizeOf(former.version);
      revision = former.until;
    }
    return revision;
  }
}
