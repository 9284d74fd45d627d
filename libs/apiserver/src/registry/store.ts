import {
  deepClone,
  isStatusError,
  newAlreadyExists,
  newUnknownError,
  pause,
  type GroupResource,
  type GroupVersionKind,
  type KubeObject,
} from '@apichain/meta';
import {
  checkPreconditions,
  KeyExistsError,
  KeyNotFoundError,
  readStored,
  type SelectionPredicate,
  type Storage,
  type StoredList,
  type StoredObject,
  type WatchStream,
} from '@apichain/storage';
import { admitLargeList, type RequestContext } from '@apichain/request';
import { generateName } from './generate-name.ts';
import { directoryKey, objectKey, type InNamespace, type KeyLayout } from './keys.ts';
import { beforeCreate } from './prepare-write.ts';
import { parseUintProblem } from './resource-version.ts';
import type { GetOptions, ListOptions } from './rest.ts';
import { beingDeleted, generatedNameConflict, interpretStoreError, withStoreErrors } from './store-errors.ts';
import { noteStorageTime, StorageTime } from './storage-time.ts';
import type { Strategy } from './strategy.ts';
import { fillSystemFields } from './system-metadata.ts';
import {
  finishNothing,
  UpdateAttempt,
  type CreateValidation,
  type UpdateFunction,
  type UpdateRequest,
} from './update-attempt.ts';

const nameGenerationAttempts = 8;

export interface RegistryStoreOptions {
  readonly resource: GroupResource;
  /** The kind in the storage version. All objects passed to and returned by the store have this version. */
  readonly kind: GroupVersionKind;
  /** See ObjectCodec. */
  readonly custom: boolean;
  readonly strategy: Strategy;
  readonly layout: KeyLayout;
  readonly storage: Storage;
}
export interface CreateRequest {
  readonly dryRun: boolean;
  readonly validate?: CreateValidation;
}

/** The result of a write: the stored bytes, or the object if nothing was stored (dry run, removed object). */
export type Written = StoredObject | KubeObject;
/** Whether a result is a stored object with bytes, rather than a plain object or a Status. */
export const isStoredObject = (result: object): result is StoredObject =>
  'json' in result && Buffer.isBuffer(result.json);

/**
 * The objects of one resource in their storage version. Implements the order of hooks, checks and writes that all kinds share.
 * Versions, admission and field management are implemented by the callers.
 * After k8s.io/apiserver/pkg/registry/generic/registry.Store.
 */
export class RegistryStore {
  readonly resource: GroupResource;
  readonly kind: GroupVersionKind;
  readonly custom: boolean;
  readonly strategy: Strategy;
  readonly layout: KeyLayout;
  readonly storage: Storage;

  constructor(options: RegistryStoreOptions) {
    this.resource = options.resource;
    this.kind = options.kind;
    this.custom = options.custom;
    this.strategy = options.strategy;
    this.layout = options.layout;
    this.storage = options.storage;
  }

  key(ctx: InNamespace, name: string): string {
    return objectKey(this.layout, ctx, name);
  }

  get(ctx: RequestContext, name: string, options: GetOptions): Promise<StoredObject> {
    const key = this.key(ctx, name);
    return noteStorageTime(
      ctx,
      withStoreErrors(this.resource, name, key, () => this.storage.get(key, options)),
    );
  }

  list(ctx: RequestContext, options: ListOptions, predicate: SelectionPredicate): Promise<StoredList> {
    const list = this.storage.list(directoryKey(this.layout, ctx), {
      resourceVersion: options.resourceVersion,
      ...(options.resourceVersionMatch === 'Exact' || options.resourceVersionMatch === 'NotOlderThan'
        ? { resourceVersionMatch: options.resourceVersionMatch }
        : {}),
      limit: Math.max(options.limit, 0),
      continue: options.continue,
      predicate,
      signal: ctx.signal,
      admit: admitLargeList,
    });
    return noteStorageTime(ctx, list);
  }

  watch(ctx: RequestContext, options: ListOptions, predicate: SelectionPredicate): Promise<WatchStream> {
    return this.storage.watch(directoryKey(this.layout, ctx), {
      resourceVersion: options.resourceVersion,
      predicate,
      allowWatchBookmarks: options.allowWatchBookmarks,
      sendInitialEvents: options.sendInitialEvents,
      ...(options.timeoutSeconds === undefined ? {} : { deadline: performance.now() + options.timeoutSeconds * 1000 }),
      signal: ctx.signal,
    });
  }

  /**
   * Writes a new object. Throws AlreadyExists, Invalid, and the errors of admission and strategy. The object is changed.
   * A create with generateName is tried eight times.
   */
  async create(ctx: RequestContext, object: KubeObject, request: CreateRequest): Promise<Written> {
    const { name = '', generateName: base = '' } = object.metadata;
    if (name !== '' || base === '') return this.#create(ctx, object, request);
    for (let attempt = 1; attempt < nameGenerationAttempts; attempt++) {
      try {
        return await this.#create(ctx, deepClone(object), request);
      } catch (error) {
        if (!isStatusError(error, 'AlreadyExists')) throw error;
      }
    }
    return this.#create(ctx, object, request);
  }

  async #create(ctx: RequestContext, object: KubeObject, request: CreateRequest): Promise<Written> {
    fillSystemFields(object.metadata);
    const { name = '', generateName: base = '' } = object.metadata;
    if (name === '' && base !== '') {
      object.metadata.name = this.strategy.generateNameUnchanged === true ? base : generateName(base);
    }
    let finish = finishNothing;
    try {
      finish = (await this.strategy.beginCreate?.(ctx, object, request.dryRun)) ?? finishNothing;
      await beforeCreate(this.strategy, this.kind.group, ctx, object);
      await pause();
      await request.validate?.(object);
      await pause();
      const written = await this.#writeNew(ctx, object, request.dryRun);
      const done = finish;
      finish = finishNothing;
      await done(true);
      return written;
    } finally {
      await finish(false);
    }
  }

  async #writeNew(ctx: RequestContext, object: KubeObject, dryRun: boolean): Promise<Written> {
    const key = this.key(ctx, object.metadata.name ?? '');
    try {
      if (dryRun) {
        await this.#expectAbsent(key);
        return this.#asRead(object);
      }
      const { resourceVersion = '' } = object.metadata;
      if (/[1-9]/.test(resourceVersion) && parseUintProblem(resourceVersion) === undefined) {
        throw newUnknownError('resourceVersion should not be set on objects to be created');
      }
      delete object.metadata.resourceVersion;
      const ttlSeconds = this.strategy.ttlSeconds?.(object);
      const created = this.storage.create(key, object, ttlSeconds === undefined ? undefined : { ttlSeconds });
      const stored = await noteStorageTime(ctx, created);
      ctx.wrote?.(stored.revision);
      return stored;
    } catch (error) {
      if (!(error instanceof KeyExistsError))
        throw interpretStoreError(error, this.resource, object.metadata.name ?? '', key);
      throw await this.#explainExisting(key, object);
    }
  }

  async #expectAbsent(key: string): Promise<void> {
    try {
      await this.storage.get(key, { resourceVersion: '' });
    } catch (error) {
      if (error instanceof KeyNotFoundError) return;
      throw error;
    }
    throw new KeyExistsError(key);
  }

  async #explainExisting(key: string, object: KubeObject): Promise<unknown> {
    const conflict =
      generatedNameConflict(this.resource, object) ?? newAlreadyExists(this.resource, object.metadata.name ?? '');
    try {
      const existing = await readStored(await this.storage.get(key, { resourceVersion: '' }));
      return existing.metadata.deletionTimestamp === undefined ? conflict : beingDeleted(conflict);
    } catch (error) {
      // The existing object was removed or cannot be read. The name was still taken.
      if (error instanceof Error) return conflict;
      throw error;
    }
  }

  /**
   * Replaces an object by the result of `update` for the current object; retries on a write conflict.
   * Creates the object if the strategy or the request allows that. Throws NotFound, Conflict, Invalid, and the errors of `update`.
   */
  async update(
    ctx: RequestContext,
    name: string,
    update: UpdateFunction,
    request: UpdateRequest,
  ): Promise<{ result: Written; created: boolean }> {
    const attempt = new UpdateAttempt(this, ctx, name, update, request);
    const time = ctx.track === undefined ? undefined : new StorageTime(ctx);
    const key = this.key(ctx, name);
    try {
      const result = request.dryRun
        ? await this.#dryRunUpdate(key, attempt)
        : await this.storage.guaranteedUpdate(key, {
            ignoreNotFound: attempt.mayCreate,
            ...attempt.preconditions,
            tryUpdate:
              time === undefined
                ? (current) => attempt.run(current)
                : (current) => time.without(() => attempt.run(current)),
            signal: ctx.signal,
          });
      time?.note();
      if (ctx.wrote !== undefined && isStoredObject(result)) ctx.wrote(result.revision);
      await attempt.finish(true);
      if (attempt.ended === undefined) return { result, created: attempt.creating };
      await this.strategy.afterDelete?.(ctx, attempt.ended, request.dryRun);
      return { result: attempt.ended, created: false };
    } catch (error) {
      if (error instanceof KeyExistsError && attempt.object !== undefined) {
        throw generatedNameConflict(this.resource, attempt.object) ?? newAlreadyExists(this.resource, name);
      }
      throw interpretStoreError(error, this.resource, name, key, request.dryRun);
    } finally {
      await attempt.finish(false);
    }
  }

  async #dryRunUpdate(key: string, attempt: UpdateAttempt): Promise<KubeObject> {
    const current = await this.findLive(key);
    if (current === undefined && !attempt.mayCreate) throw new KeyNotFoundError(key);
    await checkPreconditions(attempt.preconditions.preconditions, current);
    const { object } = await attempt.run(current);
    await pause();
    return this.#asRead(object);
  }

  /** The form in which an object that was not stored (dry run) is returned. */
  #asRead(object: KubeObject): KubeObject {
    return this.strategy.readDefaults?.complete(object) ?? object;
  }

  /** The current object in etcd, or undefined. */
  async findLive(key: string): Promise<StoredObject | undefined> {
    try {
      return await this.storage.get(key, { resourceVersion: '' });
    } catch (error) {
      if (error instanceof KeyNotFoundError) return undefined;
      throw error;
    }
  }
}
