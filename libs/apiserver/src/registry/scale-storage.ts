import {
  deepClone,
  field,
  formatGroupVersion,
  isRecord,
  newBadRequest,
  newInvalid,
  type GroupVersionKind,
  type GroupVersionResource,
  type KubeObject,
  type ManagedFieldsEntry,
  nameIsDNSSubdomain,
  setOwn,
  validateObjectMeta,
} from '@apichain/meta';
import { goQuote } from '@apichain/go-text';
import { ScaleHandler } from '@apichain/managed-fields';
import type { Type } from '@apichain/scheme';
import { readStored } from '@apichain/storage';
import type { RequestContext } from '@apichain/request';
import type { ObjectCodec } from './object-codec.ts';
import type {
  EquivalentVersion,
  GetOptions,
  ObjectFieldManager,
  Patcher,
  Result,
  TableConvertor,
  Updater,
} from './rest.ts';
import { isStoredObject, type RegistryStore, type Written } from './store.ts';
import type { ResourceInfo } from './strategy.ts';

/** The kind of `/scale` subresources. */
export const scaleKind: GroupVersionKind = { group: 'autoscaling', version: 'v1', kind: 'Scale' };

/** The fields of a kind that its Scale maps to; dotted paths such as `spec.replicas`. */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  /** The selector as text; undefined = the Scale has no selector. */
  readonly selector?: (object: KubeObject) => string;
  /** Paths by apiVersion, for managedFields written through other versions. Default: the path of the endpoint's version. */
  readonly replicasPaths?: Readonly<Record<string, string | null>>;
}

export interface ScaleStorageOptions {
  /** `deployments/scale`. */
  readonly path: string;
  /** The info of the resource, with kind autoscaling/v1 Scale. */
  readonly info: ResourceInfo;
  /** autoscaling.v1.Scale of the type table. */
  readonly type: Type;
  /** Decodes Scale bodies. */
  readonly codec: ObjectCodec;
  readonly table?: TableConvertor;
  /** The parent kind in the version of the endpoint. */
  readonly parent: ObjectCodec;
  readonly store: RegistryStore;
  readonly paths: ScalePaths;
  readonly fieldManager?: ObjectFieldManager;
  /** The versions of the resource that have a Scale, for webhooks and policies that match another one. */
  readonly versions?: readonly GroupVersionResource[];
}

type Members = Record<string, unknown>;

function valueAt(object: Members, path: string): unknown {
  let value: unknown = object;
  for (const name of path.split('.')) {
    if (!isRecord(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

function setValueAt(object: Members, path: string, value: unknown): void {
  const names = path.split('.');
  const last = names.pop();
  let at = object;
  for (const name of names) {
    const next = Object.hasOwn(at, name) ? at[name] : undefined;
    if (isRecord(next)) at = next;
    else {
      const made: Members = {};
      setOwn(at, name, made);
      at = made;
    }
  }
  if (last !== undefined) setOwn(at, last, value);
}

/** The replicas value for a custom resource without replicas. */
const unsetReplicas = -2147483648;

const asNumber = (value: unknown): number => (typeof value === 'number' ? value : 0);

/** autoscaling/v1 Scale of a kind, in the store of that kind: https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/ */
export class ScaleStorage implements Patcher {
  readonly path: string;
  readonly info: ResourceInfo;
  readonly type: Type;
  readonly codec: ObjectCodec;
  readonly fieldManager?: ObjectFieldManager;
  readonly table?: TableConvertor;
  readonly equivalents?: readonly EquivalentVersion[];
  readonly #options: ScaleStorageOptions;
  readonly #parentVersion: string;

  constructor(options: ScaleStorageOptions) {
    this.path = options.path;
    this.info = options.info;
    this.type = options.type;
    this.codec = options.codec;
    if (options.fieldManager !== undefined) this.fieldManager = options.fieldManager;
    if (options.table !== undefined) this.table = options.table;
    if (options.versions !== undefined)
      this.equivalents = options.versions.map((resource) => ({
        resource,
        kind: options.codec.kind,
        codec: options.codec,
      }));
    this.#options = options;
    this.#parentVersion = formatGroupVersion(options.parent.kind);
  }

  async get(ctx: RequestContext, name: string, options: GetOptions): Promise<Result> {
    const stored = await readStored(await this.#options.store.get(ctx, name, options));
    const object = await this.#options.parent.fromStorage(deepClone(stored));
    this.checkReadable(object);
    return this.#shown(this.#scaleOf(object));
  }

  /** Throws if the object, in the version of the endpoint, has no Scale that can be read. */
  protected checkReadable(_object: KubeObject): void {}

  async update(
    ctx: RequestContext,
    name: string,
    update: Parameters<Updater['update']>[2],
    options: Parameters<Updater['update']>[3],
  ): Promise<{ result: Result; created: boolean }> {
    const { store, parent } = this.#options;
    let old: KubeObject | undefined;
    let scale: KubeObject | undefined;
    const { validateUpdate } = options;
    const { result, created } = await store.update(
      ctx,
      name,
      async (current) => {
        if (current === undefined) throw newBadRequest('a scale cannot be created');
        const object = await parent.fromStorage(deepClone(current));
        old = this.#scaleOf(object);
        if (parent.custom && valueAt(object, this.#options.paths.specReplicasPath) === undefined)
          setValueAt(old, 'spec.replicas', unsetReplicas);
        scale = await update(deepClone(old));
        this.#validate(scale);
        const applied = this.#applyTo(object, scale);
        return parent.toStorage(applied);
      },
      {
        dryRun: options.dryRun,
        ...(options.uid === undefined ? {} : { uid: options.uid }),
        ...(validateUpdate === undefined
          ? {}
          : {
              validateUpdate: async () => {
                if (scale !== undefined && old !== undefined) await validateUpdate(scale, old);
              },
            }),
      },
    );
    return { result: await this.#resultOf(result), created };
  }

  async #resultOf(written: Written): Promise<Result> {
    const object = isStoredObject(written) ? await readStored(written) : written;
    return this.#shown(this.#scaleOf(await this.#options.parent.fromStorage(deepClone(object))));
  }

  /** The Scale of a built-in kind has no managedFields. */
  #shown(scale: KubeObject): KubeObject {
    if (!this.#options.parent.custom) delete scale.metadata.managedFields;
    return scale;
  }

  /** For a custom resource, only missing replicas are checked here. Other problems are reported by the validation of the resource. */
  #validate(scale: KubeObject): void {
    const replicas = asNumber(valueAt(scale, 'spec.replicas'));
    const { parent, paths } = this.#options;
    if (parent.custom) {
      if (replicas !== unsetReplicas) return;
      throw newBadRequest(`the spec replicas field ${goQuote(`.${paths.specReplicasPath}`)} cannot be empty`);
    }
    const errors = validateObjectMeta(scale.metadata, this.info.namespaced, nameIsDNSSubdomain, 'metadata');
    if (replicas < 0) errors.push(field.invalid('spec.replicas', replicas, 'must be greater than or equal to 0'));
    if (errors.length > 0) throw newInvalid(scaleKind, scale.metadata.name ?? '', errors);
  }

  #handler(entries: ManagedFieldsEntry[] | undefined): ScaleHandler {
    const { paths } = this.#options;
    return new ScaleHandler({
      parentEntries: entries,
      apiVersion: this.#parentVersion,
      replicasPaths: paths.replicasPaths ?? { [this.#parentVersion]: paths.specReplicasPath },
    });
  }

  #scaleOf(object: KubeObject): KubeObject {
    const { paths } = this.#options;
    const { name, namespace, uid, resourceVersion, creationTimestamp, managedFields } = object.metadata;
    const entries = this.#handler(managedFields).toSubresource();
    const selector = paths.selector?.(object) ?? '';
    const replicas = asNumber(valueAt(object, paths.specReplicasPath));
    return {
      kind: scaleKind.kind,
      apiVersion: formatGroupVersion(scaleKind),
      metadata: {
        ...(name === undefined ? {} : { name }),
        ...(namespace === undefined ? {} : { namespace }),
        ...(uid === undefined ? {} : { uid }),
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
        ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
        ...(entries === undefined || entries.length === 0 ? {} : { managedFields: entries }),
      },
      // The type omits a zero in the spec and includes it in the status.
      spec: replicas === 0 ? {} : { replicas },
      status: {
        replicas: asNumber(valueAt(object, paths.statusReplicasPath)),
        ...(selector === '' ? {} : { selector }),
      },
    };
  }

  /** Applies the replicas and the resourceVersion of the Scale to the object. */
  #applyTo(object: KubeObject, scale: KubeObject): KubeObject {
    const entries = this.#handler(object.metadata.managedFields).toParent(scale.metadata.managedFields);
    setValueAt(object, this.#options.paths.specReplicasPath, asNumber(valueAt(scale, 'spec.replicas')));
    if (entries === undefined) delete object.metadata.managedFields;
    else object.metadata.managedFields = entries;
    // An empty resourceVersion means an unconditional update.
    if (scale.metadata.resourceVersion !== undefined && scale.metadata.resourceVersion !== '') {
      object.metadata.resourceVersion = scale.metadata.resourceVersion;
    }
    return object;
  }
}
