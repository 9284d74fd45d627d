import type { Status } from '@apichain/meta';
import type { SelectionPredicate, StoredObject, WatchEvent, WatchEventType } from './storage.ts';
import type { EncodedObject } from './stored-object.ts';

/** A WatchEvent whose frames cost nothing until somebody encodes one. */
export class SharedEvent implements WatchEvent {
  readonly type: WatchEventType;
  readonly revision: number;
  readonly object?: StoredObject;
  readonly initialEventsEnd?: boolean;
  readonly status?: Status;
  #encoded: Map<string, Buffer> | undefined;

  constructor(
    type: WatchEventType,
    revision: number,
    content: { object?: StoredObject; initialEventsEnd?: boolean; status?: Status },
  ) {
    this.type = type;
    this.revision = revision;
    if (content.object !== undefined) this.object = content.object;
    if (content.initialEventsEnd !== undefined) this.initialEventsEnd = content.initialEventsEnd;
    if (content.status !== undefined) this.status = content.status;
  }

  get frames(): Map<string, Buffer> {
    this.#encoded ??= new Map();
    return this.#encoded;
  }
}

/** One change of one key. What a watcher is told depends on whether its selector matched before and matches after. */
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

  /** What to tell a watcher with this selector; undefined = nothing. The same event for all that are told the same. */
  select({ everything, matches }: SelectionPredicate): SharedEvent | undefined {
    const { object, previous, revision } = this;
    const matchesNow = object !== undefined && (everything || matches(object.attributes));
    const matchedBefore = previous !== undefined && (everything || matches(previous.attributes));
    if (matchesNow && matchedBefore) return (this.#modified ??= new SharedEvent('MODIFIED', revision, { object }));
    if (matchesNow) return (this.#added ??= new SharedEvent('ADDED', revision, { object }));
    if (matchedBefore) {
      return (this.#deleted ??= new SharedEvent('DELETED', revision, { object: previous.at(revision) }));
    }
    return undefined;
  }

  /** Frees the encoded frames; a watcher that comes late has them made again. */
  forgetFrames(): void {
    this.#added = undefined;
    this.#modified = undefined;
    this.#deleted = undefined;
  }

  /** Bytes the event keeps alive beside the current state. */
  get weight(): number {
    return (this.previous?.json.length ?? 0) + overhead;
  }
}

/** A rough count of what the bookkeeping of one event takes. */
const overhead = 200;
