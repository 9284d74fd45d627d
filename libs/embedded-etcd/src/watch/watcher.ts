import { type Event, Event_EventType } from '@apichain/etcd-api/mvccpb';
import { inMemory } from '../mvcc/former-values.ts';
import { includes, type KeyRange } from '../mvcc/key-range.ts';
import type { MvccStore } from '../mvcc/mvcc-store.ts';
import type { Version } from '../mvcc/version.ts';

export interface WatcherOptions {
  readonly id: number;
  readonly range: KeyRange;
  /** The first revision whose events are sent. */
  readonly startRevision: number;
  readonly wantsPuts: boolean;
  readonly wantsDeletes: boolean;
  readonly prevKv: boolean;
  readonly fragment: boolean;
  readonly progressNotify: boolean;
}

/** One watch of a stream: its options and its position in the history. */
export class Watcher {
  readonly options: WatcherOptions;
  /** The first revision that has not been processed. */
  next: number;
  /** Whether anything was sent since the last progress check. If not, the watch gets a progress notification. */
  spoke = false;

  constructor(options: WatcherOptions) {
    this.options = options;
    this.next = options.startRevision;
  }

  wants(version: Version): boolean {
    const { range, wantsPuts, wantsDeletes } = this.options;
    if (version.kv.modRevision < this.next) return false;
    return (version.deleted ? wantsDeletes : wantsPuts) && includes(range, version.key);
  }

  /** The event in the form that the watch's options request. */
  event(store: MvccStore, { key, kv, deleted }: Version): Event {
    const type = deleted ? Event_EventType.DELETE : Event_EventType.PUT;
    return { type, kv: inMemory(kv), prevKv: this.options.prevKv ? previous(store, key, kv.modRevision) : undefined };
  }
}

/** The value before a change, unless it has been compacted. */
function previous(store: MvccStore, key: string, modRevision: number): Event['prevKv'] {
  if (modRevision - 1 < store.compactRevision) return undefined;
  const before = store.get(key)?.at(modRevision - 1)?.kv;
  return before === undefined ? undefined : inMemory(before);
}
