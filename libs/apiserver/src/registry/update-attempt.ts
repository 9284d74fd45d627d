import {
  field,
  newConflict,
  newInvalid,
  optimisticLockMessage,
  pause,
  type GroupResource,
  type GroupVersionKind,
  type KubeObject,
} from '@apichain/meta';
import type { Preconditions, StoredObject, UpdateResult } from '@apichain/storage';
import { keepManagedFieldsTimes } from '@apichain/managed-fields';
import type { RequestContext } from '@apichain/request';
import { deletesDuringUpdate } from './deletion.ts';
import { beforeCreate, beforeUpdate } from './prepare-write.ts';
import { readForChange } from './read-for-change.ts';
import { objectResourceVersion } from './resource-version.ts';
import type { Strategy } from './strategy.ts';
import { fillSystemFields } from './system-metadata.ts';

/** Validating admission, called in every attempt with objects of the storage version. */
export type CreateValidation = (object: KubeObject) => Promise<void>;
export type UpdateValidation = (object: KubeObject, old: KubeObject) => Promise<void>;

/** The options of an update. */
export interface UpdateRequest {
  readonly dryRun: boolean;
  /** Replaces the store's strategy, for a subresource. */
  readonly strategy?: Strategy;
  readonly forceAllowCreate?: boolean;
  /** Preconditions: uid and version of the stored object. Checked before `update` is called. */
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly validateCreate?: CreateValidation;
  readonly validateUpdate?: UpdateValidation;
}
/** Computes the new object. `current` is what hooks and admission compare with, so it is not changed, and the result shares no part of it that is changed later. */
export type UpdateFunction = (current: KubeObject | undefined, json?: Buffer) => Promise<KubeObject> | KubeObject;

/** Ends the work that a strategy began: with true after the write has succeeded. */
export type Finish = (ok: boolean) => Promise<void> | void;
export const finishNothing: Finish = () => undefined;

/** The store that is updated. */
interface UpdatedStore {
  readonly resource: GroupResource;
  readonly kind: GroupVersionKind;
  /** See ObjectCodec. */
  readonly custom: boolean;
  readonly strategy: Strategy;
}

/** One update with its attempts; the result is that of the last attempt. */
export class UpdateAttempt {
  readonly #store: UpdatedStore;
  readonly #ctx: RequestContext;
  readonly #name: string;
  readonly #update: UpdateFunction;
  readonly #request: UpdateRequest;
  readonly #strategy: Strategy;
  #finish: Finish = finishNothing;
  creating = false;
  object: KubeObject | undefined;
  /** The object whose last finalizer this update removed. */
  ended: KubeObject | undefined;

  constructor(store: UpdatedStore, ctx: RequestContext, name: string, update: UpdateFunction, request: UpdateRequest) {
    this.#store = store;
    this.#ctx = ctx;
    this.#name = name;
    this.#update = update;
    this.#request = request;
    this.#strategy = request.strategy ?? store.strategy;
  }

  /** Whether the update may create the object. If not, an absent object is NotFound, whatever the preconditions. */
  get mayCreate(): boolean {
    return this.#strategy.allowCreateOnUpdate || this.#request.forceAllowCreate === true;
  }

  get preconditions(): { preconditions?: Preconditions } {
    const { uid = '', resourceVersion = '' } = this.#request;
    if (uid === '' && resourceVersion === '') return {};
    return {
      preconditions: { ...(uid === '' ? {} : { uid }), ...(resourceVersion === '' ? {} : { resourceVersion }) },
    };
  }

  async run(current: StoredObject | undefined): Promise<UpdateResult> {
    await this.finish(false);
    this.ended = undefined;
    this.creating = current === undefined;
    return current === undefined ? this.#create() : this.#replace(current);
  }

  async #create(): Promise<UpdateResult> {
    const { kind } = this.#store;
    const object = await this.#update(undefined);
    await this.#strategy.checkUpdate?.(this.#ctx, object, undefined);
    objectResourceVersion(object.metadata.resourceVersion);
    this.object = object;
    fillSystemFields(object.metadata);
    this.#finish = (await this.#strategy.beginCreate?.(this.#ctx, object, this.#request.dryRun)) ?? finishNothing;
    await beforeCreate(this.#strategy, kind.group, this.#ctx, object);
    await pause();
    await this.#request.validateCreate?.(object);
    await pause();
    // A dry run returns the given resourceVersion: only a stored object gets a new one.
    if (!this.#request.dryRun) delete object.metadata.resourceVersion;
    return withTtl(object, this.#strategy);
  }

  async #replace(current: StoredObject): Promise<UpdateResult> {
    const { kind } = this.#store;
    // If the object changes meanwhile, the write conflicts and is tried again.
    const old = await readForChange(current);
    await pause();
    const object = await this.#update(old, exactJson(current));
    this.object = object;
    await pause();
    await this.#strategy.checkUpdate?.(this.#ctx, object, old);
    this.#checkResourceVersion(object, current);
    this.#finish = (await this.#strategy.beginUpdate?.(this.#ctx, object, old, this.#request.dryRun)) ?? finishNothing;
    await beforeUpdate(this.#strategy, kind.group, this.#ctx, object, old);
    await pause();
    object.metadata.managedFields = keepManagedFieldsTimes(old, object, this.#store.custom).metadata.managedFields;
    await pause();
    await this.#request.validateUpdate?.(object, old);
    await pause();
    const ends = deletesDuringUpdate(this.#strategy, object, old);
    if (ends) this.ended = object;
    return ends ? { object, delete: true } : withTtl(object, this.#strategy);
  }

  /** An object without a resourceVersion takes the stored one, if the kind allows unconditional updates. */
  #checkResourceVersion(object: KubeObject, current: StoredObject): void {
    const { resource } = this.#store;
    const version = objectResourceVersion(object.metadata.resourceVersion);
    if (version === 0 && !this.#strategy.allowUnconditionalUpdate) {
      throw newInvalid({ group: resource.group, kind: resource.resource }, this.#name, [
        field.invalid('metadata.resourceVersion', 0, 'must be specified for an update'),
      ]);
    }
    if (version !== 0 && version !== current.revision) throw newConflict(resource, this.#name, optimisticLockMessage);
    object.metadata.resourceVersion = String(current.revision);
  }

  async finish(ok: boolean): Promise<void> {
    const finish = this.#finish;
    this.#finish = finishNothing;
    await finish(ok);
  }
}

/** The JSON that a stored object is read from; undefined if it is read from something else. */
const exactJson = ({ json, parsing, encoding }: StoredObject): Buffer | undefined =>
  parsing === undefined && encoding === undefined ? json : undefined;

function withTtl(object: KubeObject, strategy: Strategy): UpdateResult {
  const ttlSeconds = strategy.ttlSeconds?.(object);
  return ttlSeconds === undefined ? { object } : { object, ttlSeconds };
}
