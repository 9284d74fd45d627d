import type { KeyValue } from '@apichain/etcd-api/mvccpb';
import {
  type EtcdConnection,
  isLeaseNotFound,
  deleteIfUnchanged,
  putIfAbsent,
  putIfUnchanged,
  type TxnOutcome,
  prefixEnd,
  type LeaseManager,
} from '@apichain/etcd-client';
import { type KubeObject, inTurns, pause, newInternalError, newTooLargeResourceVersion } from '@apichain/meta';
import { toStatusError } from './status-error.ts';
import { listFromEtcd, type EtcdList } from './etcd-list.ts';
import { checkKey, toDirectory } from './keys.ts';
import type { AdmitLargeList } from './large-list.ts';
import type { ListPlan } from './list-plan.ts';
import { checkPreconditions } from './preconditions.ts';
import {
  KeyExistsError,
  KeyNotFoundError,
  type DeleteOptions,
  type GuaranteedUpdateOptions,
  type SelectionPredicate,
  type ObjectAttributes,
  type StorageCodec,
  type StorageListOptions,
  type StoredList,
  type UpdateResult,
} from './storage.ts';
import { EncodedObject } from './stored-object.ts';
import { RecentWrites } from './recent-writes.ts';
import { identityTransformer, reportingTransformErrors, TransformError, type ValueTransformer } from './transformer.ts';
import { ValueReader, type StoredView } from './value-reader.ts';
import { KeyPermits, type KeyPermit } from './key-permits.ts';

export interface EtcdStoreOptions {
  readonly connection: EtcdConnection;
  readonly codec: StorageCodec;
  readonly leases: LeaseManager;
  readonly transformer?: ValueTransformer;
  readonly view?: StoredView;
  /** A cache that follows the store. Its copy of a key may be stale, but an update or delete may start from it. */
  readonly cache?: { revision(): number | undefined; get(key: string): EncodedObject | undefined };
}

/** The state that an update or delete starts from: the state of a key in etcd, or a copy that may be stale. */
interface KeyState {
  readonly object: EncodedObject | undefined;
  /** Whether the value should be written again even if nothing changed. */
  readonly stale: boolean;
  /** Whether the state was read from etcd. A rejection based on a cached copy must be repeated on the live object. */
  readonly live: boolean;
}

/** The objects of one resource in etcd, without a cache. Failures of etcd are thrown as the StatusErrors that clients get. */
export class EtcdStore {
  readonly #connection: EtcdConnection;
  readonly #codec: StorageCodec;
  readonly #leases: LeaseManager;
  readonly #transformer: ValueTransformer;
  readonly #isEncrypted: boolean;
  readonly #reader: ValueReader;
  readonly #cache: EtcdStoreOptions['cache'];
  readonly #retryAfter: number;
  readonly #recentWrites = new RecentWrites();
  readonly #writerPermits = new KeyPermits();

  constructor(options: EtcdStoreOptions) {
    this.#connection = options.connection;
    this.#codec = options.codec;
    this.#leases = options.leases;
    this.#transformer = reportingTransformErrors(options.transformer ?? identityTransformer);
    this.#isEncrypted = options.transformer !== undefined;
    this.#reader = new ValueReader(options.codec, this.#transformer, options.connection.prefix, options.view);
    this.#cache = options.cache;
    // A cache may catch up shortly; etcd itself cannot be behind.
    this.#retryAfter = options.cache === undefined ? 0 : 1;
  }

  /** The etcd key of a store key. Throws 500 on a key that would leave its directory. */
  etcdKey(key: string): Buffer {
    checkKey(key);
    return Buffer.from(this.#connection.prefix + key);
  }

  storeKey(etcdKey: Uint8Array): string {
    return this.#reader.storeKey(etcdKey);
  }

  async create(key: string, object: KubeObject, options: { ttlSeconds?: number } = {}): Promise<EncodedObject> {
    return this.#withStatusErrors(async () => {
      const etcdKey = this.etcdKey(key);
      const { value: plain, attributes } = await inTurns(this.#codec.encodingWithAttributes(object));
      const value = await this.#transformer.toStorage(plain, etcdKey);
      const lease = await this.#leaseFor(options.ttlSeconds);
      const outcome = await putIfAbsent(this.#connection, etcdKey, value, lease);
      if (!outcome.succeeded) throw new KeyExistsError(key);
      return this.#rememberWrite(key, plain, outcome.revision, attributes);
    });
  }

  /** The live object. Throws KeyNotFoundError, and 504 when etcd has not reached `minimumRevision`. */
  async get(key: string, minimumRevision = 0): Promise<EncodedObject> {
    return this.#withStatusErrors(async () => {
      const { kv, revision } = await this.#connection.readKey(this.etcdKey(key));
      if (revision < minimumRevision) throw newTooLargeResourceVersion(minimumRevision, revision, this.#retryAfter);
      if (kv === undefined) throw new KeyNotFoundError(key);
      return this.#cachedAt(key, kv.modRevision) ?? (await this.#reader.read(kv)).object;
    });
  }

  /**
   * The cached object, if it has this revision. An encrypted value is decrypted anyway: only the transformer can tell whether it still may be read.
   */
  #cachedAt(key: string, revision: number): EncodedObject | undefined {
    if (this.#isEncrypted) return undefined;
    const cached = this.#cache?.get(key);
    return cached?.revision === revision ? cached : undefined;
  }

  /** A list read from etcd. A plan with kind `exact` is read at its revision, all others linearizably. With a name, only that object is listed. */
  list(
    path: string,
    plan: ListPlan,
    { predicate, admit }: Pick<StorageListOptions, 'predicate' | 'admit'>,
    name?: string,
  ): Promise<StoredList> {
    return this.listObjects(path, plan, predicate, name, admit);
  }

  /** Like list, with a result type for callers that keep the objects. */
  listObjects(
    path: string,
    plan: ListPlan,
    predicate: SelectionPredicate,
    name?: string,
    admit?: AdmitLargeList,
  ): Promise<EtcdList> {
    return this.#withStatusErrors(() =>
      listFromEtcd({
        connection: this.#connection,
        directory: toDirectory(path),
        plan,
        predicate,
        read: (kv) => this.#reader.readListed(kv),
        retryAfter: this.#retryAfter,
        admit,
        name,
      }),
    );
  }

  async count(path: string): Promise<number> {
    return this.#withStatusErrors(async () => {
      const key = this.etcdKey(toDirectory(path));
      return (await this.#connection.range({ key, rangeEnd: prefixEnd(key), countOnly: true })).count;
    });
  }

  async currentRevision(): Promise<number> {
    return this.#withStatusErrors(() => this.#connection.currentRevision());
  }

  async guaranteedUpdate(key: string, options: GuaranteedUpdateOptions): Promise<EncodedObject> {
    let permit: KeyPermit | undefined;
    const tries = async () => {
      const etcdKey = this.etcdKey(key);
      let state = this.#knownState(key) ?? (await this.#liveState(key));
      for (;;) {
        options.signal?.throwIfAborted();
        const current = state;
        const result = await this.#tryOrReload(key, current, () => this.#proposeUpdate(key, current, options));
        if ('reloaded' in result) {
          state = result.reloaded;
          continue;
        }
        const { update } = result;
        const { value: plain, attributes } = await inTurns(this.#codec.encodingWithAttributes(update.object));
        // A large value of another form than JSON takes long in both directions.
        const wait = pause();
        if (wait !== undefined) await wait;
        const json = this.#codec.decode(plain, current.object?.revision ?? 0);
        if (update.delete !== true && current.object?.json.equals(json) === true) {
          if (current.live) {
            if (!current.stale) return current.object;
          } else {
            state = await this.#liveState(key);
            if (state.object?.revision !== current.object?.revision) continue;
            if (!state.stale && state.object !== undefined) return state.object;
          }
        }
        const outcome = await this.#commit(etcdKey, state, plain, update);
        if (outcome.succeeded) {
          if (update.delete !== true) return this.#rememberWrite(key, json, outcome.revision, attributes);
          this.#recentWrites.forget(key);
          return this.#reader.decode(key, json, outcome.revision);
        }
        // Other clients write this object too: from here on, the writers of this process write one after the other.
        const isFirst = permit === undefined;
        permit ??= await this.#writerPermits.acquire(key);
        state = isFirst && permit.waited ? await this.#liveState(key) : await this.#stateOf(outcome.current);
      }
    };
    try {
      return await this.#withStatusErrors(tries);
    } finally {
      permit?.release();
    }
  }

  async delete(key: string, options: DeleteOptions = {}): Promise<EncodedObject> {
    return this.#withStatusErrors(async () => {
      const etcdKey = this.etcdKey(key);
      let state = this.#knownState(key) ?? (await this.#liveState(key));
      for (;;) {
        options.signal?.throwIfAborted();
        const { object } = state;
        if (object === undefined) throw new KeyNotFoundError(key);
        const result = await this.#tryOrReload(key, state, async () => {
          await checkPreconditions(options.preconditions, object);
          await options.validate?.(object);
          return {};
        });
        if ('reloaded' in result) {
          state = result.reloaded;
          continue;
        }
        const outcome = await deleteIfUnchanged(this.#connection, etcdKey, object.revision);
        if (outcome.succeeded) {
          this.#recentWrites.forget(key);
          return object.at(outcome.revision);
        }
        state = await this.#stateOf(outcome.current);
      }
    });
  }

  /** The object of an event for the cache. This process may have it already, from its own write. */
  readCacheEvent(kv: KeyValue): EncodedObject | Promise<EncodedObject> {
    return this.#recentWrites.arrived(this.storeKey(kv.key), kv.modRevision) ?? this.readEvent(kv);
  }

  /** Called when the cache received the deletion of a key at `revision`. */
  noteDeletion(key: string, revision: number): void {
    this.#recentWrites.arrived(key, revision);
  }

  /** Called when the cache was filled from etcd and contains every write that this process remembers. */
  forgetRecentWrites(): void {
    this.#recentWrites.clear();
  }

  /** The newest copy in memory, which may be stale. */
  cachedCopy(key: string): EncodedObject | undefined {
    return this.#recentWrites.newest(key, this.#cache?.get(key));
  }

  /** The object of a watch event; a promise only where the transformer is asynchronous. */
  readEvent(kv: KeyValue): EncodedObject | Promise<EncodedObject> {
    return this.#reader.readEvent(kv);
  }

  /** The object that a write of this process produced, from its stored form or its JSON; it is kept until the cache contains it. */
  #rememberWrite(key: string, written: Buffer, revision: number, attributes: ObjectAttributes): EncodedObject {
    const object = new EncodedObject(this.#codec, key, revision, this.#codec.decode(written, revision), attributes);
    const cacheRevision = this.#cache?.revision();
    // Without a cache, nothing reports that the write has arrived in it. With one, the event may have arrived before etcd's response.
    if (cacheRevision !== undefined && cacheRevision < revision) this.#recentWrites.add(object);
    return object;
  }

  async #leaseFor(ttlSeconds: number | undefined): Promise<string> {
    return ttlSeconds === undefined || ttlSeconds <= 0 ? '0' : this.#leases.leaseFor(ttlSeconds);
  }

  /** The newest copy in memory, used to start without a read from etcd. */
  #knownState(key: string): KeyState | undefined {
    const object = this.cachedCopy(key);
    return object === undefined ? undefined : { object, stale: false, live: false };
  }

  async #liveState(key: string): Promise<KeyState> {
    const { kv } = await this.#connection.readKey(this.etcdKey(key));
    return this.#stateOf(kv);
  }

  async #stateOf(kv: KeyValue | undefined): Promise<KeyState> {
    if (kv === undefined) return { object: undefined, stale: false, live: true };
    return { ...(await this.#reader.read(kv)), live: true };
  }

  /** Runs `attempt`. An error on a cached copy is thrown only if the live object has the same revision. */
  async #tryOrReload<T extends object>(
    key: string,
    state: KeyState,
    attempt: () => Promise<T>,
  ): Promise<T | { reloaded: KeyState }> {
    try {
      return await attempt();
    } catch (error) {
      if (state.live) throw error;
      const reloaded = await this.#liveState(key);
      if (reloaded.object?.revision === state.object?.revision) throw error;
      return { reloaded };
    }
  }

  async #proposeUpdate(
    key: string,
    { object }: KeyState,
    options: GuaranteedUpdateOptions,
  ): Promise<{ update: UpdateResult }> {
    if (object === undefined && !options.ignoreNotFound) throw new KeyNotFoundError(key);
    await checkPreconditions(options.preconditions, object);
    return { update: await options.tryUpdate(object) };
  }

  async #commit(etcdKey: Buffer, state: KeyState, plain: Buffer, update: UpdateResult): Promise<TxnOutcome> {
    const revision = state.object?.revision ?? 0;
    if (update.delete === true) return deleteIfUnchanged(this.#connection, etcdKey, revision);
    const value = await this.#transformer.toStorage(plain, etcdKey);
    const lease = await this.#leaseFor(update.ttlSeconds);
    return putIfUnchanged(this.#connection, etcdKey, revision, value, lease);
  }

  /** Converts failures of etcd to the StatusErrors that clients get. */
  async #withStatusErrors<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (isLeaseNotFound(error)) this.#leases.forget();
      if (error instanceof TransformError) throw newInternalError(error.message);
      throw toStatusError(error);
    }
  }
}
