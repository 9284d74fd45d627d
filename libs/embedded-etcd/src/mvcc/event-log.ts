import type { Version } from './version.ts';

/** Every change since the last compaction in the order of revisions. Read by watches that begin in the past. */
export class EventLog {
  #events: Version[] = [];

  get all(): readonly Version[] {
    return this.#events;
  }

  push(version: Version): void {
    this.#events.push(version);
  }

  removeLast(): void {
    this.#events.pop();
  }

  replace(events: Version[]): void {
    this.#events = events;
  }

  /** Puts `other` in the place of an event. */
  exchange(event: Version, other: Version): void {
    for (let at = this.position(event.kv.modRevision); this.#events[at]?.kv.modRevision === event.kv.modRevision; at++)
      if (this.#events[at] === event) this.#events[at] = other;
  }

  /** The position of the first event at or after `revision`. Valid until the next `compact`. */
  position(revision: number): number {
    let low = 0;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const event = this.#events[middle];
      if (event !== undefined && event.kv.modRevision < revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Removes the events before `revision`. Returns all events up to and including `revision`, removed or not. */
  compact(revision: number): Version[] {
    const touched = this.#events.slice(0, this.position(revision + 1));
    this.#events = this.#events.slice(this.position(revision));
    return touched;
  }
}
