import type { Status } from '@apichain/meta';
import { Shapes } from './shapes.ts';
import type { SelectionPredicate, StoredObject, WatchEvent, WatchEventType } from './storage.ts';
import type { EncodedObject } from './stored-object.ts';

/** A WatchEvent whose frames are encoded only when they are first needed. */
export class SharedEvent implements WatchEvent {
  readonly type: WatchEventType;
  readonly revision: number;
  readonly object?: StoredObject;
  readonly initialEventsEnd?: boolean;
  readonly status?: Status;
  readonly #before: EncodedObject | undefined;
  readonly #hasWatchers: boolean;
  #previous: EncodedObject | undefined;
  #encoded: Map<string, Buffer> | undefined;

  /** `hasWatchers`: whether other watchers receive this event, too, so that its frames are kept for them. */
  constructor(
    type: WatchEventType,
    revision: number,
    content: { object?: StoredObject; previous?: EncodedObject; initialEventsEnd?: boolean; status?: Status },
    hasWatchers = false,
  ) {
    this.type = type;
    this.revision = revision;
    if (content.object !== undefined) this.object = content.object;
    if (content.initialEventsEnd !== undefined) this.initialEventsEnd = content.initialEventsEnd;
    if (content.status !== undefined) this.status = content.status;
    this.#before = content.previous;
    this.#hasWatchers = hasWatchers;
  }

  /** What the event keeps in memory, in bytes: the object, the state that it replaced, and a share of bookkeeping. */
  get bytes(): number {
    return (this.object?.json.length ?? 0) + (this.#before?.json.length ?? 0) + overhead;
  }

  /** Made on first use: most watchers do not ask for it. */
  get previous(): StoredObject | undefined {
    this.#previous ??= this.#before?.at(this.revision);
    return this.#previous;
  }

  get frames(): Map<string, Buffer> {
    this.#encoded ??= this.#hasWatchers ? new Shapes() : new Map();
    return this.#encoded;
  }

  /** Frees the encoded frames; a watcher that has yet to read this event has them made again. */
  forgetFrames(): void {
    this.#encoded?.clear();
    this.#encoded = undefined;
  }
}

/** One change of one key. The event that a watcher receives depends on whether its selector matched before the change and matches after it. */
export class CacheEvent {
  readonly key: string;
  readonly revision: number;
  /** Absent when the change deleted it. */
  readonly object: EncodedObject | undefined;
  /** Absent when the change created it. */
  readonly previous: EncodedObject | undefined;
  #added: SharedEvent | undefined;
  #modified: SharedEvent | undefined;
  #deleted: SharedEvent | undefined;

  constructor(key: string, revision: number, object: EncodedObject | undefined, previous: EncodedObject | undefined) {
    this.key = key;
    this.revision = revision;
    this.object = object;
    this.previous = previous;
  }

  /** The event for a watcher with this selector; undefined = none. Watchers that receive the same event share one instance. */
  select({ everything, matches }: SelectionPredicate): SharedEvent | undefined {
    const { object, previous, revision } = this;
    const matchesNow = object !== undefined && (everything || matches(object.attributes));
    const matchedBefore = previous !== undefined && (everything || matches(previous.attributes));
    if (matchesNow && matchedBefore)
      return (this.#modified ??= new SharedEvent('MODIFIED', revision, { object, previous }, true));
    if (matchesNow) return (this.#added ??= new SharedEvent('ADDED', revision, { object }, true));
    if (matchedBefore) {
      return (this.#deleted ??= new SharedEvent('DELETED', revision, { object: previous.at(revision) }, true));
    }
    return undefined;
  }

  /** Frees the encoded frames. They are encoded again for a watcher that reads this event later. */
  forgetFrames(): void {
    for (const shared of [this.#added, this.#modified, this.#deleted]) shared?.forgetFrames();
    this.#added = undefined;
    this.#modified = undefined;
    this.#deleted = undefined;
  }

  /** Bytes that the event keeps in memory in addition to the current state. */
  get weight(): number {
    return (this.previous?.json.length ?? 0) + overhead;
  }
}

/** A rough estimate of the bookkeeping of one event, in bytes. */
const overhead = 200;
