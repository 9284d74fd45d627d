import { isStatusError, type KubeObject, type ObjectMeta, type StatusDetails } from '@apichain/meta';
import { KeyNotFoundError, type StoredObject } from '@apichain/storage';
import type { RequestContext } from '@apichain/request';
import {
  beforeDelete,
  checkMarkPreconditions,
  finalizersForGarbageCollection,
  markAsDeleting,
  type DeletionStep,
} from './deletion.ts';
import { readForChange } from './read-for-change.ts';
import type { DeleteValidation } from './rest.ts';
import { isStoredObject, type RegistryStore, type Written } from './store.ts';
import { StorageTime } from './storage-time.ts';
import { interpretStoreError, withStoreErrors } from './store-errors.ts';
import type { GracefulDeleteOptions, Strategy } from './strategy.ts';

type BeginDelete = NonNullable<Strategy['beginDelete']>;

export interface Deleted {
  readonly result: Written;
  /** False = accepted and pending because of finalizers or a grace period. */
  readonly deleted: boolean;
}

/** Aborts an update that must not be written; `next` is how the delete continues. */
class DeletionInterrupt extends Error {
  readonly next: 'deleteNow' | 'alreadyDeleting';
  constructor(next: 'deleteNow' | 'alreadyDeleting') {
    super(next);
    this.next = next;
  }
}

/** Aborts a delete whose decision was based on a copy that is not the live object. */
class StaleCopyError extends Error {
  override readonly name = 'StaleCopyError';
}

/** The Success Status of a delete. It names the deleted object and has no code. */
export function deletedStatus(store: RegistryStore, object: KubeObject): KubeObject {
  const { group, resource } = store.resource;
  const details: StatusDetails = { name: object.metadata.name ?? '' };
  if (group !== '') details.group = group;
  details.kind = resource;
  if (object.metadata.uid) details.uid = object.metadata.uid;
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
}

/** Sends the warnings of the kind about the delete, even if the object does not exist. */
export function warnOfDeletion({ strategy }: RegistryStore, ctx: RequestContext, options: GracefulDeleteOptions): void {
  for (const warning of strategy.warningsOnDelete?.(ctx, options) ?? []) ctx.warn(warning);
}

/**
 * Deletes one object: gracefully, pending its finalizers, or immediately. `options` are changed. Throws NotFound, Conflict and the errors of
 * `validate` (admission). After Store.Delete of k8s.io/apiserver/pkg/registry/generic/registry.
 */
export async function deleteObject(
  store: RegistryStore,
  ctx: RequestContext,
  name: string,
  options: GracefulDeleteOptions,
  validate?: DeleteValidation,
): Promise<Deleted> {
  warnOfDeletion(store, ctx, options);
  const deletion = new Deletion(store, ctx, name, options, validate);
  return (await deletion.runOnCopy()) ?? deletion.run();
}

/** An object at a revision, parsed once for all steps that read it. */
interface Seen {
  readonly revision: number;
  readonly object: KubeObject;
  /** The metadata as it was read. Only metadata is changed by the steps. */
  readonly metadata: ObjectMeta;
}

class Deletion {
  readonly #store: RegistryStore;
  readonly #ctx: RequestContext;
  readonly #name: string;
  readonly #key: string;
  readonly #options: GracefulDeleteOptions;
  readonly #validate: DeleteValidation | undefined;
  readonly #dryRun: boolean;
  /** The marked object of a graceful delete with a grace period of zero. It is removed in a second step. */
  #lastExisting: KubeObject | undefined;
  #pendingFinalizers = false;
  /** The last state that was read. */
  #seen: Seen | undefined;
  /** Whether the decision is based on a copy, and so is valid for the copy's revision only. */
  #onCopy = false;

  constructor(
    store: RegistryStore,
    ctx: RequestContext,
    name: string,
    options: GracefulDeleteOptions,
    validate: DeleteValidation | undefined,
  ) {
    this.#store = store;
    this.#ctx = ctx;
    this.#name = name;
    this.#key = store.key(ctx, name);
    this.#options = options;
    this.#validate = validate;
    this.#dryRun = (options.dryRun?.length ?? 0) > 0;
  }

  /**
   * Deletes the object based on a cached copy, which saves reading the live object. etcd refuses if the copy is stale. Undefined =
   * there is no copy, or the live object must be read.
   */
  async runOnCopy(): Promise<Deleted | undefined> {
    const { strategy, storage } = this.#store;
    const copy = this.#dryRun || strategy.beginDelete !== undefined ? undefined : storage.cachedCopy(this.#key);
    if (copy === undefined) return undefined;
    const { gracePeriodSeconds } = this.#options;
    this.#onCopy = true;
    try {
      const decision = await this.#decideOnCopy(copy);
      if (decision !== undefined) return await this.#go(decision.step, decision.object);
    } catch (error) {
      if (!(error instanceof StaleCopyError)) throw error;
    }
    this.#onCopy = false;
    this.#lastExisting = undefined;
    this.#pendingFinalizers = false;
    if (gracePeriodSeconds === undefined) delete this.#options.gracePeriodSeconds;
    else this.#options.gracePeriodSeconds = gracePeriodSeconds;
    return undefined;
  }

  /** Decides based on the copy. Undefined = etcd would not check the revision in this case, so the live object must be read. */
  async #decideOnCopy(copy: StoredObject): Promise<{ step: DeletionStep; object: KubeObject } | undefined> {
    const { strategy, kind } = this.#store;
    const object = await this.#look(copy);
    try {
      await strategy.validateDelete?.(this.#ctx, object);
      const step = beforeDelete(strategy, kind, this.#ctx, object, this.#options);
      return step === 'pending' ? undefined : { step, object };
    } catch (error) {
      if (isStatusError(error)) return undefined;
      throw error;
    }
  }

  async run(): Promise<Deleted> {
    const { strategy, storage, resource } = this.#store;
    const stored = await withStoreErrors(resource, this.#name, this.#key, () =>
      storage.get(this.#key, { resourceVersion: '' }),
    );
    const object = await this.#look(stored);
    await strategy.validateDelete?.(this.#ctx, object);

    if (strategy.beginDelete !== undefined) {
      const first = await this.#beginDelete(strategy.beginDelete, stored);
      if (first !== undefined) return first;
    }
    const step = beforeDelete(strategy, this.#store.kind, this.#ctx, object, this.#options);
    if (step === 'pending') return { result: this.#resultOf(stored, object), deleted: false };
    return this.#go(step, object);
  }

  async #go(step: DeletionStep, object: KubeObject): Promise<Deleted> {
    const { strategy } = this.#store;
    const marks =
      step === 'graceful' ||
      (object.metadata.finalizers?.length ?? 0) > 0 ||
      finalizersForGarbageCollection(strategy, this.#ctx, object.metadata, this.#options) !== undefined;
    return marks ? this.#mark(object) : this.#deleteNow(undefined);
  }

  async #look(stored: StoredObject): Promise<KubeObject> {
    const object = await readForChange(stored);
    this.#see(stored.revision, object);
    return object;
  }

  /** Like `#look`, but reuses the object parsed before for the same revision, without the changes made since. */
  async #lookAgain(stored: StoredObject): Promise<KubeObject> {
    if (this.#seen?.revision !== stored.revision) return this.#look(stored);
    const { object, metadata } = this.#seen;
    object.metadata = { ...metadata };
    return object;
  }

  #see(revision: number, object: KubeObject): void {
    this.#seen = { revision, object, metadata: { ...object.metadata } };
  }

  /** The first step of kinds that are deleted in two steps. Undefined = delete as usual. */
  async #beginDelete(begin: BeginDelete, stored: StoredObject): Promise<Deleted | undefined> {
    const { resource, storage } = this.#store;
    const seen = await readForChange(stored);
    checkMarkPreconditions(resource, seen, this.#options);
    switch (begin(this.#ctx, seen, this.#options)) {
      case 'continue':
        return undefined;
      case 'wait':
        return { result: stored, deleted: false };
      case 'mark':
        break;
    }
    const mark = async (object: KubeObject): Promise<KubeObject> => {
      checkMarkPreconditions(resource, object, this.#options);
      await this.#validate?.(object);
      // Another request may have marked the object in the meantime; then nothing changes.
      begin(this.#ctx, object, this.#options);
      return object;
    };
    if (this.#dryRun) return { result: await mark(await readForChange(stored)), deleted: false };
    const result = await storage.guaranteedUpdate(this.#key, {
      ignoreNotFound: false,
      tryUpdate: async (current) => {
        if (current === undefined) throw new KeyNotFoundError(this.#key);
        return { object: await mark(await readForChange(current)) };
      },
      signal: this.#ctx.signal,
    });
    return { result, deleted: false };
  }

  /** Writes the deletion timestamp and finalizers, then decides whether the object is removed at once. */
  async #mark(seen: KubeObject): Promise<Deleted> {
    try {
      const result = this.#dryRun ? await this.#dryRunMark() : await this.#writeMark();
      if (this.#pendingFinalizers || (this.#options.gracePeriodSeconds ?? 0) > 0) return { result, deleted: false };
      if (this.#dryRun) return { result, deleted: true };
      return await this.#deleteNow(result);
    } catch (error) {
      if (!(error instanceof DeletionInterrupt)) {
        throw interpretStoreError(error, this.#store.resource, this.#name, this.#key);
      }
      if (error.next === 'deleteNow') return this.#deleteNow(undefined);
      return { result: this.#resultOf(undefined, seen), deleted: false };
    }
  }

  async #writeMark(): Promise<StoredObject> {
    const { uid, resourceVersion } = this.#options.preconditions ?? {};
    const marked = await this.#store.storage.guaranteedUpdate(this.#key, {
      ignoreNotFound: false,
      preconditions: {
        uid,
        resourceVersion,
      },
      tryUpdate: async (current) => {
        if (current === undefined) throw new KeyNotFoundError(this.#key);
        return { object: await this.#markObject(await this.#lookAgain(current)) };
      },
      signal: this.#ctx.signal,
    });
    this.#ctx.wrote?.(marked.revision);
    return marked;
  }

  async #dryRunMark(): Promise<KubeObject> {
    const current = await this.#store.findLive(this.#key);
    if (current === undefined) throw new KeyNotFoundError(this.#key);
    return this.#markObject(await readForChange(current));
  }

  async #markObject(existing: KubeObject): Promise<KubeObject> {
    const { strategy, kind } = this.#store;
    await this.#validate?.(existing);
    const step = beforeDelete(strategy, kind, this.#ctx, existing, this.#options);
    if (step === 'pending') throw new DeletionInterrupt('alreadyDeleting');
    const { metadata } = existing;
    const finalizers = finalizersForGarbageCollection(strategy, this.#ctx, metadata, this.#options);
    if (finalizers !== undefined) {
      if (finalizers.length > 0) metadata.finalizers = finalizers;
      else delete metadata.finalizers;
    }
    this.#pendingFinalizers = (metadata.finalizers?.length ?? 0) > 0;
    if (step === 'now') {
      if (!this.#pendingFinalizers) throw new DeletionInterrupt('deleteNow');
      markAsDeleting(metadata);
    } else this.#lastExisting = existing;
    return existing;
  }

  async #deleteNow(marked: Written | undefined): Promise<Deleted> {
    const { storage, resource } = this.#store;
    if (this.#dryRun) return this.#dryRunDelete();
    const { uid, resourceVersion } = this.#options.preconditions ?? {};
    // The mark above has changed the resourceVersion, so the client's precondition no longer applies.
    const version = marked === undefined ? resourceVersion : undefined;
    if (marked !== undefined && isStoredObject(marked) && this.#lastExisting !== undefined) {
      this.#lastExisting.metadata.resourceVersion = String(marked.revision);
      this.#see(marked.revision, this.#lastExisting);
    }
    try {
      const time = this.#ctx.track === undefined ? undefined : new StorageTime(this.#ctx);
      const validate = (current: StoredObject) => this.#validateLast(current, marked !== undefined);
      const stored = await storage.delete(this.#key, {
        preconditions: {
          uid,
          resourceVersion: version,
        },
        validate: time === undefined ? validate : (current) => time.without(async () => validate(current)),
        signal: this.#ctx.signal,
      });
      time?.note();
      this.#ctx.wrote?.(stored.revision);
      const { object } = this.#seen ?? { object: await readForChange(stored) };
      object.metadata.resourceVersion = String(stored.revision);
      return await this.#finish(stored, object);
    } catch (error) {
      // Another writer has removed the marked object first, so the delete has succeeded.
      if (error instanceof KeyNotFoundError && this.#lastExisting !== undefined) {
        return this.#finish(undefined, this.#lastExisting);
      }
      throw interpretStoreError(error, resource, this.#name, this.#key);
    }
  }

  /** Validates the object that is about to be removed. Throws StaleCopyError if the decision was based on another revision. */
  async #validateLast(current: StoredObject, isMarked: boolean): Promise<void> {
    const isSeen = this.#seen?.revision === current.revision;
    if (this.#onCopy && !isMarked && !isSeen) throw new StaleCopyError();
    const object = await this.#lookAgain(current);
    await this.#validate?.(object);
  }

  async #dryRunDelete(): Promise<Deleted> {
    const stored = await withStoreErrors(this.#store.resource, this.#name, this.#key, () =>
      this.#store.storage.get(this.#key, { resourceVersion: '' }),
    );
    const object = await readForChange(stored);
    await this.#validate?.(object);
    return this.#finish(stored, object);
  }

  async #finish(stored: StoredObject | undefined, object: KubeObject): Promise<Deleted> {
    await this.#store.strategy.afterDelete?.(this.#ctx, object, this.#dryRun);
    return { result: this.#resultOf(stored, object), deleted: true };
  }

  #resultOf(stored: StoredObject | undefined, object: KubeObject): Written {
    if (this.#store.strategy.returnDeletedObject === true) return stored ?? object;
    return deletedStatus(this.#store, object);
  }
}
