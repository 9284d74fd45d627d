import { deepClone, pause, type KubeObject } from '@apichain/meta';
import { metadataAttributes, type StoredList, type WatchStream } from '@apichain/storage';
import type { Type } from '@apichain/scheme';
import type { RequestContext } from '@apichain/request';
import {
  endpointConversion,
  inEndpointVersion,
  listInEndpointVersion,
  watchInEndpointVersion,
} from './converted-object.ts';
import { deleteCollection } from './delete-collection.ts';
import { deleteObject } from './delete-object.ts';
import { withExactDigits } from './resource-version.ts';
import { needsConversion, type ObjectCodec } from './object-codec.ts';
import { EndpointSelection } from './endpoint-selection.ts';
import { directoryKey } from './keys.ts';
import { dependsOnVersion, identityPredicate, selectionPredicate, selectorsOf } from './predicate.ts';
import type {
  CollectionDeleter,
  Creater,
  DeleteValidation,
  EquivalentVersion,
  GetOptions,
  GracefulDeleter,
  Lister,
  ListOptions,
  ObjectFieldManager,
  Patcher,
  ResourceStorage,
  Result,
  TableConvertor,
  Updater,
  Watcher,
  WriteOptions,
} from './rest.ts';
import { isStoredObject, type RegistryStore, type Written } from './store.ts';
import type { GracefulDeleteOptions, ResourceInfo, Strategy } from './strategy.ts';

export interface StorageView {
  readonly path: string;
  readonly info: ResourceInfo;
  readonly type: Type;
  readonly codec: ObjectCodec;
  readonly store: RegistryStore;
  /** Whether destroying this storage closes the store. */
  readonly ownsStore?: boolean;
  /** The strategy of a subresource; undefined = the store's strategy. */
  readonly strategy?: Strategy;
  readonly fieldManager?: ObjectFieldManager;
  readonly table?: TableConvertor;
  readonly storageVersionHash?: string;
  readonly deprecationWarning?: string;
  readonly convertFieldLabel?: ResourceStorage['convertFieldLabel'];
  /** The selectable fields of an object in the version of the endpoint, by label. */
  readonly fieldsOf?: (object: KubeObject) => Readonly<Record<string, string>>;
  readonly equivalents?: readonly EquivalentVersion[];
}

/**
 * The objects of a store with another strategy and version: get, update and patch, as for `pods/status`, `namespaces/finalize`
 * or `pods/ephemeralcontainers`.
 */
export class SubresourceStorage implements Patcher {
  readonly path: string;
  readonly info: ResourceInfo;
  readonly type: Type;
  readonly codec: ObjectCodec;
  readonly fieldManager?: ObjectFieldManager;
  readonly table?: TableConvertor;
  readonly storageVersionHash?: string;
  readonly deprecationWarning?: string;
  readonly convertFieldLabel?: NonNullable<ResourceStorage['convertFieldLabel']>;
  readonly equivalents?: readonly EquivalentVersion[];
  protected readonly store: RegistryStore;
  readonly #strategy: Strategy | undefined;
  readonly #ownsStore: boolean;

  constructor(view: StorageView) {
    this.path = view.path;
    this.info = view.info;
    this.type = view.type;
    this.codec = view.codec;
    this.store = view.store;
    this.#strategy = view.strategy;
    this.#ownsStore = view.ownsStore === true;
    if (view.fieldManager !== undefined) this.fieldManager = view.fieldManager;
    if (view.table !== undefined) this.table = view.table;
    if (view.storageVersionHash !== undefined) this.storageVersionHash = view.storageVersionHash;
    if (view.deprecationWarning !== undefined) this.deprecationWarning = view.deprecationWarning;
    if (view.equivalents !== undefined) this.equivalents = view.equivalents;
    if (view.convertFieldLabel !== undefined) this.convertFieldLabel = view.convertFieldLabel;
  }

  async get(ctx: RequestContext, name: string, options: GetOptions): Promise<Result> {
    const read = this.store.get(ctx, name, options);
    return inEndpointVersion(this.codec, await withExactDigits(options.resourceVersion, read));
  }

  async update(
    ctx: RequestContext,
    name: string,
    update: Parameters<Updater['update']>[2],
    options: Parameters<Updater['update']>[3],
  ): Promise<{ result: Result; created: boolean }> {
    const { codec } = this;
    const { validateCreate, validateUpdate } = options;
    const { result, created } = await this.store.update(
      ctx,
      name,
      async (current, json) => {
        const updated =
          current === undefined
            ? await update(undefined)
            : await update(await this.#shown(current), needsConversion(codec) ? undefined : json);
        await pause();
        return codec.toStorage(updated);
      },
      {
        dryRun: options.dryRun,
        // A subresource never creates its object.
        forceAllowCreate: options.forceAllowCreate && !this.path.includes('/'),
        strategy: this.#strategy,
        uid: options.uid,
        resourceVersion: options.resourceVersion,
        ...(validateCreate === undefined
          ? {}
          : { validateCreate: async (object) => validateCreate(await this.present(object)) }),
        ...(validateUpdate === undefined
          ? {}
          : {
              validateUpdate: async (object, old) => {
                const shown = await this.present(object);
                await pause();
                return validateUpdate(shown, await this.present(old));
              },
            }),
      },
    );
    await pause();
    return { result: await this.resultOf(result), created };
  }

  /** An object in the version of the endpoint: the same one if that is the stored version, otherwise a copy. */
  #shown(stored: KubeObject): KubeObject | Promise<KubeObject> {
    return needsConversion(this.codec) ? this.present(stored) : stored;
  }

  /** A copy in the version of the endpoint, for validating admission, which must not keep or change the original. */
  protected present(object: KubeObject): KubeObject | Promise<KubeObject> {
    return this.codec.fromStorage(deepClone(object));
  }

  protected resultOf(written: Written): Result | Promise<Result> {
    if (isStoredObject(written)) return inEndpointVersion(this.codec, written);
    if (written.kind === 'Status' && written.apiVersion === 'v1') return written;
    // An object that was not stored has not been canonicalized by the store.
    return this.codec.fromStorage(this.codec.canonicalize?.(written) ?? written);
  }

  destroy(): Promise<void> | void {
    return this.#ownsStore ? this.store.storage.close() : undefined;
  }
}

/** All operations of a stored resource, in one version. */
export class StoredResource
  extends SubresourceStorage
  implements Lister, Watcher, Creater, GracefulDeleter, CollectionDeleter
{
  readonly #fieldsOf: NonNullable<StorageView['fieldsOf']>;

  constructor(view: StorageView) {
    super(view);
    this.#fieldsOf = view.fieldsOf ?? (() => ({}));
  }

  async list(ctx: RequestContext, options: ListOptions): Promise<StoredList> {
    const list = await withExactDigits(options.resourceVersion, this.#listPage(ctx, options));
    return listInEndpointVersion(this.codec, list);
  }

  async watch(ctx: RequestContext, options: ListOptions): Promise<WatchStream> {
    const selected = this.#selection(options);
    const predicate = selected?.stored ?? selectionPredicate(options, this);
    const stream = await withExactDigits(options.resourceVersion, this.store.watch(ctx, options, predicate));
    return selected?.selection.watch(stream) ?? watchInEndpointVersion(this.codec, stream);
  }

  /** A page of the selected objects, which may be in the storage version. */
  #listPage(ctx: RequestContext, options: ListOptions): Promise<StoredList> {
    const selected = this.#selection(options);
    if (selected === undefined) return this.store.list(ctx, options, selectionPredicate(options, this));
    const { selection, stored } = selected;
    const directory = directoryKey(this.store.layout, ctx);
    return selection.list(options, directory, (page) => this.store.list(ctx, page, stored));
  }

  /** Set if objects can only be selected once a webhook has converted them. `stored` selects what must be converted. */
  #selection(options: ListOptions) {
    const { convertAll } = this.codec;
    const selectors = convertAll === undefined ? undefined : selectorsOf(options, this);
    if (convertAll === undefined || selectors === undefined || !dependsOnVersion(selectors)) return undefined;
    const attributesOf = (object: KubeObject) => {
      const attributes = metadataAttributes(object);
      return { ...attributes, fields: { ...this.#fieldsOf(object), ...attributes.fields } };
    };
    const version = { ...endpointConversion(this.codec, convertAll), attributesOf };
    return { selection: new EndpointSelection(version, selectors), stored: identityPredicate(selectors) };
  }

  async create(ctx: RequestContext, _name: string, object: KubeObject, options: WriteOptions): Promise<Result> {
    const { validateCreate } = options;
    const stored = await this.codec.toStorage(object);
    const written = await this.store.create(ctx, stored, {
      dryRun: options.dryRun,
      ...(validateCreate === undefined
        ? {}
        : { validate: async (created) => validateCreate(await this.present(created)) }),
    });
    await pause();
    return this.resultOf(written);
  }

  async delete(
    ctx: RequestContext,
    name: string,
    options: GracefulDeleteOptions,
    validate?: DeleteValidation,
  ): Promise<{ result: Result; deleted: boolean }> {
    // The object is read in the version of the endpoint first: what cannot be converted is not deleted.
    if (this.codec.convertAll !== undefined && needsConversion(this.codec)) {
      await this.get(ctx, name, { resourceVersion: '' });
    }
    const { result, deleted } = await deleteObject(
      this.store,
      ctx,
      name,
      options,
      validate === undefined ? undefined : async (object) => validate(await this.present(object)),
    );
    return { result: await this.resultOf(result), deleted };
  }

  async deleteCollection(
    ctx: RequestContext,
    options: GracefulDeleteOptions,
    list: ListOptions,
    validate?: DeleteValidation,
  ): Promise<StoredList> {
    return deleteCollection(
      this.store,
      ctx,
      options,
      list,
      async (page) => listInEndpointVersion(this.codec, await this.#listPage(ctx, page)),
      validate === undefined ? undefined : async (object) => validate(await this.present(object)),
    );
  }
}
