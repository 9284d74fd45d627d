import type { KubeObject, Omits, Status, Work } from '@apichain/meta';
import type { AdmitLargeList } from './large-list.ts';

/**
 * The store of one resource, modeled on k8s.io/apiserver/pkg/storage.Interface. Revisions are etcd mod revisions as JS numbers (safe to 2^53). Keys
 * are full etcd keys without the prefix option, e.g. `/pods/default/a`; a list or watch takes the directory (`/pods/` or `/pods/default/`). Failures
 * are StatusErrors where clients get them unchanged (Expired, Timeout, ...) and KeyErrors where the registry chooses the message.
 */
export interface Storage {
  /** Writes a new object. Throws KeyExistsError. With `ttlSeconds` the object is attached to a shared lease. */
  create(key: string, object: KubeObject, options?: { ttlSeconds?: number }): Promise<StoredObject>;
  /**
   * resourceVersion '' = linearizable from etcd, '0' = the current state of the cache, N = at least N. Throws KeyNotFoundError, and 504 when N does
   * not exist yet.
   */
  get(key: string, options: { resourceVersion: string }): Promise<StoredObject>;
  /** Throws the StatusErrors of bad parameters (400, 422), of compacted revisions (410) and of revisions that do not exist yet (504). */
  list(directory: string, options: StorageListOptions): Promise<StoredList>;
  /** A start that is too old is reported in the stream, as an ERROR event with status 410. Throws 504 for a start that does not exist yet. */
  watch(directory: string, options: StorageWatchOptions): Promise<WatchStream>;
  /**
   * Reads the object, applies `tryUpdate`, and writes if and only if the revision is still the one read. Repeats on conflict until `signal` aborts.
   * May start from the cached copy: an error that tryUpdate throws on a stale copy leads to one more call with the live object. Writes nothing when
   * the encoded bytes are equal.
   */
  guaranteedUpdate(key: string, options: GuaranteedUpdateOptions): Promise<StoredObject>;
  /**
   * Deletes an object that `preconditions` and `validate` accept. The result is the last state with the revision of the deletion. Throws
   * KeyNotFoundError, PreconditionError, and the errors of `validate`.
   */
  delete(key: string, options: DeleteOptions): Promise<StoredObject>;
  /** The number of keys in the directory (a count-only range). */
  count(directory: string): Promise<number>;
  /** The store's current revision, as a quorum read. */
  currentRevision(): Promise<number>;
  /**
   * A copy in memory that may be older than the live object; undefined when there is none. Does not read from etcd. A decision based on the copy
   * must be verified by its revision.
   */
  cachedCopy(key: string): StoredObject | undefined;
  /** The state of the watch cache, if there is one and it has been filled. */
  readonly cacheState?: CacheState | undefined;
  /** Ends the cache and every watch. The store must not be used afterwards. */
  close(): Promise<void>;
}

/** The size of a watch cache. */
export interface CacheState {
  readonly revision: number;
  readonly objects: number;
  /** The average size of an object, estimated from a sample. */
  readonly averageBytes: number;
  /** The number of recent events that fit. */
  readonly historyCapacity: number;
}

/** An object of the store: the JSON bytes that clients get (with resourceVersion), parsed on demand. */
export interface StoredObject {
  readonly key: string;
  readonly revision: number;
  /** UTF-8 JSON of the storage version, `metadata.resourceVersion` = revision. Never mutated, shared between readers. */
  readonly json: Buffer;
  /** Labels and selectable fields, computed once. */
  readonly attributes: ObjectAttributes;
  /** Set when the object only stands for a value that cannot be read: why. Only stores with a `view` have such objects. */
  readonly unreadable?: string;
  /** A fresh parsed copy that the caller may change. */
  parse(): KubeObject;
  /** `parse` in steps, where the copy is not made of `json`. The large members that `omits` selects may be OmittedMembers. */
  readonly parsing?: (omits?: Omits) => Work<KubeObject>;
  /** Makes `json` in steps. Present where it is made on demand. */
  readonly encoding?: () => Work<Buffer>;
  /**
   * Other representations of these bytes (another version, protobuf, a Table row), kept with the object; their total size is bounded by the store.
   */
  readonly shapes: Map<string, Buffer>;
}

/** The attributes of an object that selectors and indexes use. */
export interface ObjectAttributes {
  readonly name: string;
  /** '' for cluster-scoped objects. */
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, string>>;
}

/** Which objects a list or watch selects. `matches` must be pure. */
export interface SelectionPredicate {
  readonly matches: (attributes: ObjectAttributes) => boolean;
  /** True when every object matches: such lists set remainingItemCount and need no filtering. */
  readonly everything: boolean;
  /** Requirements `field = value` that can be evaluated by an index or by reading a single key. */
  readonly exactFields: Readonly<Record<string, string>>;
}

/** Options of `Storage.list`. `resourceVersion` is '' for a linearizable read, '0' for the current state of the cache, N for at least N. */
export interface StorageListOptions {
  readonly resourceVersion: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
  /** 0 = no limit. */
  readonly limit: number;
  readonly continue: string;
  readonly predicate: SelectionPredicate;
  readonly signal?: AbortSignal;
  readonly admit?: AdmitLargeList;
}

/** A page of a list. `continue` is the token of the next page; without it this is the last page. */
export interface StoredList {
  readonly items: readonly StoredObject[];
  readonly revision: number;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

/** Options of `Storage.watch`. */
export interface StorageWatchOptions {
  /** '' and '0' = start at any revision, with synthetic ADDED events; N = start after N. */
  readonly resourceVersion: string;
  readonly predicate: SelectionPredicate;
  readonly allowWatchBookmarks: boolean;
  /** undefined = not set in the request. */
  readonly sendInitialEvents?: boolean;
  /** The time of `performance.now()` at which the request ends: a bookmark is sent shortly before. */
  readonly deadline?: number;
  /** Deliver events at once, not in rounds with those of other watches: for data that the server itself depends on. */
  readonly prompt?: boolean;
  readonly signal: AbortSignal;
}

/** The types of watch events: https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes */
export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';

/** A change, a bookmark, or the error that ends a watch. */
export interface WatchEvent {
  readonly type: WatchEventType;
  /** ADDED, MODIFIED, DELETED: the object. For DELETED this is the last matching state, with the revision of the change. */
  readonly object?: StoredObject;
  /** MODIFIED: the state before the change, with the revision of the change. */
  readonly previous?: StoredObject | undefined;
  /** BOOKMARK: its revision, and whether it marks the end of the initial events. */
  readonly revision: number;
  readonly initialEventsEnd?: boolean;
  /** ERROR: the status sent to the client before the stream ends. */
  readonly status?: Status;
  /** Encoded frames of this event, by representation (e.g. `json`), shared by all its watchers. */
  readonly frames: Map<string, Buffer>;
}

/** A bounded queue of events. The consumer awaits batches. The stream ends when the consumer is too slow. */
export interface WatchStream {
  /** Resolves with at least one event, or undefined when the stream has ended. */
  next(): Promise<readonly WatchEvent[] | undefined>;
  stop(): void;
}

/** The conditions on the stored object for a write. */
export interface Preconditions {
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/** Options of `Storage.guaranteedUpdate`. */
export interface GuaranteedUpdateOptions {
  /** When the key is absent, tryUpdate gets undefined instead of KeyNotFoundError being thrown (create on update, apply). */
  readonly ignoreNotFound: boolean;
  readonly preconditions?: Preconditions;
  readonly tryUpdate: (current: StoredObject | undefined) => Promise<UpdateResult> | UpdateResult;
  readonly signal?: AbortSignal;
}

/** The result of `tryUpdate`. `delete` = the update removes the last finalizer: the object is deleted instead of written, in one transaction. */
export interface UpdateResult {
  readonly object: KubeObject;
  readonly ttlSeconds?: number;
  readonly delete?: boolean;
}

/** Options of `Storage.delete`. */
export interface DeleteOptions {
  readonly preconditions?: Preconditions;
  /**
   * Throws to reject the deletion. Called with the object that is then deleted, and possibly before that with older states: a rejection of a cached
   * copy is repeated on the live object.
   */
  readonly validate?: (current: StoredObject) => Promise<void> | void;
  readonly signal?: AbortSignal;
}

/** The key already has an object. */
export class KeyExistsError extends Error {
  override readonly name = 'KeyExistsError';
}

/** The key has no object. */
export class KeyNotFoundError extends Error {
  override readonly name = 'KeyNotFoundError';
}

/** A precondition of an update or delete does not hold. `message` is the end of the client's message, after the object's name. */
export class PreconditionError extends Error {
  override readonly name = 'PreconditionError';
}

/** The form of values in etcd when it is not the JSON that clients get. */
export interface StoredForm {
  /** `object` has no resourceVersion and no selfLink. */
  encode(object: KubeObject): Buffer;
  has(value: Buffer): boolean;
}

/**
 * Defaults that are added when reading an object that was stored without them. The stored form of such an object is not current until it is written
 * again.
 */
export interface ReadDefaults<T extends KubeObject = KubeObject> {
  /** A quick check of JSON in apichain's own layout: false when `complete` would add nothing. */
  readonly mayLack: (json: Buffer) => boolean;
  /** The object with its missing defaults; the same reference when none are missing. */
  readonly complete: (object: T) => T;
}

/**
 * Encodes objects as etcd values and decodes them; one codec per resource. Handles the storage version only; conversion to other versions happens in
 * the layers above.
 */
export interface StorageCodec {
  /** The value to write: no resourceVersion, no selfLink. Deterministic, so that equal objects give equal bytes. */
  encode(object: KubeObject): Buffer;
  /** Whether a value has the form that `encode` produces. A value written by another server may not have it: the next update rewrites it. */
  isCurrent(value: Buffer): boolean;
  /** Like `encode`, and also returns what `attributes` would return for the value, at a fraction of the cost. Runs in steps. */
  encodingWithAttributes(object: KubeObject): Work<{ readonly value: Buffer; readonly attributes: ObjectAttributes }>;
  /**
   * Decodes an etcd value to the JSON that clients get, with resourceVersion. Accepts values written by other API servers (any key order, protobuf),
   * and its own output, whose resourceVersion it replaces. Throws when the value is unreadable.
   */
  decode(value: Buffer, revision: number): Buffer;
  /** The JSON that `decode` makes of the object's stored form, without the way through that form. */
  present(object: KubeObject, revision: number): Buffer;
  /** Labels and selectable fields. */
  attributes(json: Buffer): ObjectAttributes;
  /** `attributes` in steps, for large objects. */
  readingAttributes(json: Buffer): Work<ObjectAttributes>;
}

/** Selects every object. */
export const everything: SelectionPredicate = { matches: () => true, everything: true, exactFields: {} };

/** All objects in one list, as they are now. */
export const listEverything: StorageListOptions = {
  resourceVersion: '',
  limit: 0,
  continue: '',
  predicate: everything,
};
