import type { KubeObject, Status, Work } from '@apichain/meta';

/**
 * What the registry needs from a store of one resource, after k8s.io/apiserver/pkg/storage.Interface.
 * Revisions are etcd mod revisions as JS numbers (safe to 2^53). Keys are full etcd keys without the prefix option,
 * e.g. `/pods/default/a`; a list or watch takes the directory (`/pods/` or `/pods/default/`).
 * Failures are StatusErrors where a client is to see them (Expired, Timeout, ...) and KeyErrors where the registry words them.
 */
export interface Storage {
  /** Writes a new object. Throws KeyExistsError. `ttlSeconds` binds it to a shared lease. */
  create(key: string, object: KubeObject, options?: { ttlSeconds?: number }): Promise<StoredObject>;
  /**
   * resourceVersion '' = linearizable from etcd, '0' = whatever the cache has, N = at least N. Throws KeyNotFoundError, and
   * 504 when N does not exist yet.
   */
  get(key: string, options: { resourceVersion: string }): Promise<StoredObject>;
  /** Throws the StatusErrors of bad parameters (400, 422), of revisions that are gone (410) or yet to come (504). */
  list(directory: string, options: StorageListOptions): Promise<StoredList>;
  /** A start that is too old is told by the stream: an ERROR event with status 410. Throws 504 for one yet to come. */
  watch(directory: string, options: StorageWatchOptions): Promise<WatchStream>;
  /**
   * Reads, applies `tryUpdate`, writes if and only if the revision is still the one read; repeats on conflict until `signal`
   * aborts. May start from the cached copy; whatever tryUpdate throws on a stale copy is retried once on the live one.
   * Writes nothing when the encoded bytes are equal.
   */
  guaranteedUpdate(key: string, options: GuaranteedUpdateOptions): Promise<StoredObject>;
  /**
   * Deletes what `preconditions` and `validate` accept. The result is the last state with the revision of the deletion.
   * Throws KeyNotFoundError, PreconditionError, and what `validate` throws.
   */
  delete(key: string, options: DeleteOptions): Promise<StoredObject>;
  /** How many keys the directory holds (a count-only range). */
  count(directory: string): Promise<number>;
  /** The store's current revision, as a quorum read. */
  currentRevision(): Promise<number>;
  /**
   * A copy at hand that may be older than the live object, without asking etcd; undefined when there is none. What is decided
   * on it must be checked by its revision.
   */
  cachedCopy(key: string): StoredObject | undefined;
  /** Of the watch cache, if there is one and it has been filled. */
  readonly cacheState?: CacheState | undefined;
  /** Ends the cache and every watch; the store is not used afterwards. */
  close(): Promise<void>;
}

/** How large a watch cache is. */
export interface CacheState {
  readonly revision: number;
  readonly objects: number;
  /** Of an object, estimated by some of them. */
  readonly averageBytes: number;
  /** Recent events for which there is room. */
  readonly historyCapacity: number;
}

/** An object as the store hands it around: the JSON bytes a client is served (resourceVersion set), parsed on demand. */
export interface StoredObject {
  readonly key: string;
  readonly revision: number;
  /** UTF-8 JSON of the storage version, `metadata.resourceVersion` = revision. Never mutated, shared between readers. */
  readonly json: Buffer;
  /** Labels and selectable fields, computed once. */
  readonly attributes: ObjectAttributes;
  /** A fresh parsed copy that the caller may change. */
  parse(): KubeObject;
  /** The other shapes made of these bytes (another version, protobuf, a Table row), kept with them; bounded by the store. */
  readonly shapes: Map<string, Buffer>;
}

/** What selectors and indexes see of an object. */
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
  /** True when everything matches: such lists keep remainingItemCount and need no filtering. */
  readonly everything: boolean;
  /** Requirements `field = value` that an index or a single-key read can answer. */
  readonly exactFields: Readonly<Record<string, string>>;
}

/** Options of `Storage.list`. `resourceVersion` is '' for a linearizable read, '0' for whatever the cache has, N for at least N. */
export interface StorageListOptions {
  readonly resourceVersion: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
  /** 0 = no limit. */
  readonly limit: number;
  readonly continue: string;
  readonly predicate: SelectionPredicate;
  readonly signal?: AbortSignal;
}

/** A page of a list. `continue` is the token of the next page; without it this is the last one. */
export interface StoredList {
  readonly items: readonly StoredObject[];
  readonly revision: number;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

/** Options of `Storage.watch`. */
export interface StorageWatchOptions {
  /** '' and '0' = start anywhere with synthetic ADDED events; N = after N. */
  readonly resourceVersion: string;
  readonly predicate: SelectionPredicate;
  readonly allowWatchBookmarks: boolean;
  /** undefined = not asked for. */
  readonly sendInitialEvents?: boolean;
  /** Milliseconds since the epoch at which the request ends: a bookmark goes out shortly before. */
  readonly deadline?: number;
  /** Events come at once, not in rounds with those of other watches: for what a server itself goes by. */
  readonly prompt?: boolean;
  readonly signal: AbortSignal;
}

/** The types of watch events: https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes */
export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';

/** A change, a bookmark, or the error that ends a watch. */
export interface WatchEvent {
  readonly type: WatchEventType;
  /** ADDED, MODIFIED, DELETED: the object (for DELETED the last matching state with the revision of the change). */
  readonly object?: StoredObject;
  /** BOOKMARK: its revision, and whether it ends the initial events. */
  readonly revision: number;
  readonly initialEventsEnd?: boolean;
  /** ERROR: what the client is told before the stream ends. */
  readonly status?: Status;
  /** Encoded frames of this event, by representation (e.g. `json`), shared by all its watchers. */
  readonly frames: Map<string, Buffer>;
}

/**
 * A bounded queue of events. The consumer awaits batches; a consumer that falls too far behind finds the stream ended.
 */
export interface WatchStream {
  /** Resolves with at least one event, or undefined when the stream has ended. */
  next(): Promise<readonly WatchEvent[] | undefined>;
  stop(): void;
}

/** What must hold of the stored object for a write to happen. */
export interface Preconditions {
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/** Options of `Storage.guaranteedUpdate`. */
export interface GuaranteedUpdateOptions {
  /** Absent key: tryUpdate gets undefined instead of KeyNotFoundError being thrown (create on update, apply). */
  readonly ignoreNotFound: boolean;
  readonly preconditions?: Preconditions;
  readonly tryUpdate: (current: StoredObject | undefined) => Promise<UpdateResult> | UpdateResult;
  readonly signal?: AbortSignal;
}

/** `delete` = the update ends the object (last finalizer gone): it is removed in the same transaction. */
export interface UpdateResult {
  readonly object: KubeObject;
  readonly ttlSeconds?: number;
  readonly delete?: boolean;
}

/** Options of `Storage.delete`. */
export interface DeleteOptions {
  readonly preconditions?: Preconditions;
  /**
   * Throws to refuse. Called with the object that is then deleted, and before that perhaps with older ones: a cached copy's
   * refusal is repeated on the live object.
   */
  readonly validate?: (current: StoredObject) => Promise<void> | void;
  readonly signal?: AbortSignal;
}

/** There is an object at the key already. */
export class KeyExistsError extends Error {
  override readonly name = 'KeyExistsError';
}

/** There is no object at the key. */
export class KeyNotFoundError extends Error {
  override readonly name = 'KeyNotFoundError';
}

/** A precondition of an update or delete does not hold; `message` is the client's text after the object's name. */
export class PreconditionError extends Error {
  override readonly name = 'PreconditionError';
}

/** How values look in etcd when they are not the JSON that clients get. */
export interface StoredForm {
  /** The object has no resourceVersion and no selfLink. */
  encode(object: KubeObject): Buffer;
  has(value: Buffer): boolean;
}

/** What reading an object adds that was stored without it. Until something writes the object again, its form is not current. */
export interface ReadDefaults<T extends KubeObject = KubeObject> {
  /** A quick look at JSON in our own layout: false when `complete` would add nothing. */
  readonly mayLack: (json: Buffer) => boolean;
  /** The object with what it lacks; the same reference when that is nothing. */
  readonly complete: (object: T) => T;
}

/** Turns objects into etcd values and back; one per resource. It knows the storage version; versions above it are converted. */
export interface StorageCodec {
  /** The value to write: no resourceVersion, no selfLink. Deterministic, so that equal objects give equal bytes. */
  encode(object: KubeObject): Buffer;
  /** Whether a value has the form that `encode` gives it. One that another server wrote may not: the next update rewrites it. */
  isCurrent(value: Buffer): boolean;
  /** As `encode`, with what `attributes` would find in the value, for a fraction of its price; in steps. */
  encodingWithAttributes(object: KubeObject): Work<{ readonly value: Buffer; readonly attributes: ObjectAttributes }>;
  /**
   * An etcd value as the JSON that clients get, resourceVersion set. Accepts what other API servers wrote (any
   * key order, protobuf), and its own output, whose resourceVersion it replaces. Throws when the value is unreadable.
   */
  decode(value: Buffer, revision: number): Buffer;
  /** Labels and selectable fields. */
  attributes(json: Buffer): ObjectAttributes;
}
