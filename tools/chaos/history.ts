/**
 * Records what the clients of a store wrote and saw. Checks whether a store that loses no write, does no write twice and has no stale reads
 * could have produced the history. Every object has one writer, which numbers its writes: each `number` is written in one attempt only.
 */

/** A write, as seen by its client. Times are from one clock, in milliseconds. */
export interface Write {
  readonly object: string;
  readonly number: number;
  readonly started: number;
  readonly ended: number;
  /** `unknown`: the write may have happened. `refused`: the response says that the object is not in the state that its writer last left. */
  readonly outcome: 'acknowledged' | 'unknown' | 'refused';
  /** The resourceVersion of an acknowledged write. */
  readonly revision: number;
}

/** A read that must show everything acknowledged before it started: of one object, or of all objects (`object` undefined). */
export interface Read {
  readonly object?: string;
  readonly started: number;
  /** The resourceVersion of the list or of the object. */
  readonly revision: number;
  /** The numbers that the read returned, by object. */
  readonly numbers: ReadonlyMap<string, number>;
}

/** The events of a watch, in order of arrival. */
export interface Seen {
  readonly object: string;
  readonly number: number;
  readonly revision: number;
}

/** A watch was told that its revision is too old, and went on from that of a list. It has not received what happened in between. */
export interface Relist {
  /** The index of the watch. */
  readonly watch: number;
  /** The revision of its last event. */
  readonly from: number;
  /** The revision of the list. */
  readonly to: number;
}

export interface History {
  readonly writes: readonly Write[];
  readonly reads: readonly Read[];
  readonly watches: readonly (readonly Seen[])[];
  readonly relists: readonly Relist[];
  /** The numbers of all objects at the end, by object. */
  readonly final: ReadonlyMap<string, number>;
}

/** All violations, one line each. Empty for a correct history. */
export function violations(history: History): string[] {
  return [...checkWrites(history), ...checkReads(history), ...checkLists(history), ...checkWatches(history)];
}

const name = ({ object, number }: Seen | Write) => `${object} number ${String(number)}`;

function byObject(writes: readonly Write[]): Map<string, Write[]> {
  const objects = new Map<string, Write[]>();
  for (const write of writes) {
    const of = objects.get(write.object);
    if (of === undefined) objects.set(write.object, [write]);
    else of.push(write);
  }
  return objects;
}

function* checkWrites({ writes, final }: History): Generator<string> {
  for (const [object, own] of byObject(writes)) {
    let revision = 0;
    let acknowledged = 0;
    let doubt = false;
    for (const write of own) {
      if (write.outcome === 'refused' && !doubt)
        yield `${name(write)} was refused, though every write before it was answered: one of them was made twice`;
      if (write.outcome === 'acknowledged') {
        if (write.revision <= revision)
          yield `${name(write)} was acknowledged at ${String(write.revision)}, after ${String(revision)}`;
        ({ revision } = write);
        acknowledged = write.number;
      }
      doubt = write.outcome === 'unknown' || (doubt && write.outcome === 'refused');
    }
    const last = final.get(object) ?? 0;
    if (last < acknowledged)
      yield `${object} ends with number ${String(last)}, though ${String(acknowledged)} was acknowledged: lost`;
  }
}

function* checkReads({ writes, reads }: History): Generator<string> {
  const acknowledged = writes.filter(({ outcome }) => outcome === 'acknowledged').toSorted((a, b) => a.ended - b.ended);
  const newest = new Map<string, Write>();
  let newestRevision = 0;
  let next = 0;
  for (const read of reads.toSorted((a, b) => a.started - b.started)) {
    for (
      let write = acknowledged[next];
      write !== undefined && write.ended <= read.started;
      write = acknowledged[++next]
    ) {
      if (write.number >= (newest.get(write.object)?.number ?? 0)) newest.set(write.object, write);
      newestRevision = Math.max(newestRevision, write.revision);
    }
    const least = read.object === undefined ? newestRevision : (newest.get(read.object)?.revision ?? 0);
    if (read.revision < least)
      yield `a read of ${read.object ?? 'all'} shows ${String(read.revision)}, though ${String(least)} had been acknowledged: stale`;
    for (const write of read.object === undefined ? newest.values() : [newest.get(read.object)]) {
      if (write === undefined || (read.numbers.get(write.object) ?? 0) >= write.number) continue;
      yield `a read shows ${write.object} before number ${String(write.number)}, which had been acknowledged: stale`;
    }
  }
}

/**
 * A list has the state of all objects at its resourceVersion, as the watches and the responses to writes tell it: nothing older, and nothing newer. What
 * every watch has skipped is known of acknowledged writes only: there, a list may show a write of unknown outcome.
 */
function* checkLists({ writes, reads, watches, relists }: History): Generator<string> {
  const acknowledged = writes.filter(({ outcome }) => outcome === 'acknowledged');
  const events = [...new Map([...acknowledged, ...watches.flat()].map((event) => [event.revision, event])).values()];
  events.sort((a, b) => a.revision - b.revision);
  const unknown = new Set(writes.filter(({ outcome }) => outcome === 'unknown').map(name));
  const state = new Map<string, number>();
  let next = 0;
  const lists = reads.filter(({ object }) => object === undefined).toSorted((a, b) => a.revision - b.revision);
  for (const { revision, numbers } of lists) {
    for (let event = events[next]; event !== undefined && event.revision <= revision; event = events[++next])
      state.set(event.object, event.number);
    for (const object of new Set([...state.keys(), ...numbers.keys()])) {
      const [shown = 0, known = 0] = [numbers.get(object), state.get(object)];
      if (shown === known) continue;
      if (relists.length > 0 && shown > known && unknown.has(`${object} number ${String(shown)}`)) continue;
      yield `a list of ${String(revision)} shows ${object} number ${String(shown)}, which had number ${String(known)} then`;
    }
  }
}

function* checkWatches({ writes, watches, relists }: History): Generator<string> {
  const isSkipped = (watch: number, revision: number) =>
    relists.some((relist) => relist.watch === watch && revision > relist.from && revision <= relist.to);
  const happened = new Map<string, number>();
  for (const [index, seen] of watches.entries()) {
    const which = `watch ${String(index)}`;
    const delivered = new Set<string>();
    let revision = 0;
    for (const event of seen) {
      const key = name(event);
      if (event.revision <= revision)
        yield `${which} received ${key} at ${String(event.revision)}, after ${String(revision)}`;
      ({ revision } = event);
      if ((happened.get(key) ?? event.revision) !== event.revision)
        yield `${key} happened at ${String(happened.get(key))} and at ${String(event.revision)}: twice`;
      happened.set(key, event.revision);
      delivered.add(key);
    }
    for (const write of writes)
      if (write.outcome === 'acknowledged' && !delivered.has(name(write)) && !isSkipped(index, write.revision))
        yield `${which} never received ${name(write)}: a gap`;
  }
  for (const [index, seen] of watches.entries()) {
    const due = [...happened.values()].filter((revision) => !isSkipped(index, revision)).length;
    if (seen.length !== due)
      yield `watch ${String(index)} received ${String(seen.length)} of ${String(due)} changes: a gap`;
  }
  for (const write of writes) {
    const at = happened.get(name(write));
    if (write.outcome === 'refused' && at !== undefined) yield `${name(write)} was refused, and happened`;
    if (write.outcome === 'acknowledged' && at !== undefined && at !== write.revision)
      yield `${name(write)} was acknowledged at ${String(write.revision)} and happened at ${String(at)}`;
  }
}
