import type { IncomingMessage, ServerResponse } from 'node:http';
import type { GroupVersionKind, GroupVersionResource, JsonObject, KubeObject, Omits, Status } from '@apichain/meta';
import type { FieldManager } from '@apichain/managed-fields';
import type { StoredList, StoredObject, WatchStream } from '@apichain/storage';
import type { Type } from '@apichain/scheme';
import type { RequestContext } from '@apichain/request';
import type { ObjectCodec } from './object-codec.ts';
import type { GracefulDeleteOptions, ResourceInfo } from './strategy.ts';

/**
 * The operations of a resource, one interface per capability. The installer derives verbs, routes, discovery and OpenAPI from the
 * methods of a storage. After k8s.io/apiserver/pkg/registry/rest.
 */
export interface ResourceStorage {
  /** As in the URL: `pods` or `pods/status`. */
  readonly path: string;
  readonly info: ResourceInfo;
  /** The type of the kind in this version; used for decoding, field validation, patches and apply. */
  readonly type: Type;
  /** Rows of `as=Table`; undefined = 406. */
  readonly table?: TableConvertor;
  /** storageVersionHash of discovery. */
  readonly storageVersionHash?: string;
  /** Decodes request bodies; undefined = `type` alone is used, without defaults (virtual resources). */
  readonly codec?: ObjectCodec;
  /** Every version of the same objects, including this one; undefined = there is no other version. */
  readonly equivalents?: readonly EquivalentVersion[];
  /** Maintains metadata.managedFields; undefined = writes are not tracked (virtual resources). */
  readonly fieldManager?: ObjectFieldManager;
  /** Converts a field selector's label and value to a selectable field. Throws an Error with the client's message. Undefined = metadata only. */
  readonly convertFieldLabel?: (label: string, value: string) => { field: string; value: string };
  /** Sent as a Warning with every response, e.g. `v1 Endpoints is deprecated in v1.33+; ...`. */
  readonly deprecationWarning?: string;
  destroy?(): Promise<void> | void;
}

/** A resource in one of its versions. */
export interface EquivalentVersion {
  readonly resource: GroupVersionResource;
  readonly kind: GroupVersionKind;
  readonly codec: ObjectCodec;
}

/** The part of `@apichain/managed-fields` that endpoints use; objects are in the version of the endpoint. */
export type ObjectFieldManager = Pick<FieldManager, 'update' | 'apply' | 'updateRemotely' | 'applyRemotely'>;

/**
 * Computes the new object from the current one, which it does not change; undefined where none is stored. `json` is the stored document, if that is exactly the
 * current object.
 */
export type ChangeObject = (current: KubeObject | undefined, json?: Buffer) => Promise<KubeObject> | KubeObject;

/** A result in the version of the endpoint: bytes if they exist already, otherwise an object. */
export type Result = StoredObject | KubeObject | Status;

/** GetOptions of meta/v1. `resourceVersion` '' = linearizable, '0' = any, N = at least N. */
export interface GetOptions {
  readonly resourceVersion: string;
}

/**
 * ListOptions of meta/v1, validated. Absent parameters are empty strings and 0.
 * https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/list-options/
 */
export interface ListOptions {
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  readonly limit: number;
  readonly continue: string;
  readonly timeoutSeconds?: number;
  readonly allowWatchBookmarks: boolean;
  readonly sendInitialEvents?: boolean;
}

/** The options of create, update and patch in meta/v1. */
export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: 'Ignore' | 'Warn' | 'Strict';
  /** The fieldValidation of the request, as admission sees it; empty = not specified. */
  readonly statedFieldValidation?: string;
  /** Validating admission of the object about to be created, in the version of the endpoint; throws to refuse. */
  readonly validateCreate?: (object: KubeObject) => Promise<void>;
  /** The same for an update. */
  readonly validateUpdate?: (object: KubeObject, old: KubeObject) => Promise<void>;
}

/** Admission of the object about to be deleted; throws to refuse. Called with the live object, once per attempt. */
export type DeleteValidation = (object: KubeObject) => Promise<void>;

/** A resource with GET of one object. `get` rejects with a 404 Status when there is none. */
export interface Getter extends ResourceStorage {
  get(ctx: RequestContext, name: string, options: GetOptions): Promise<Result>;
}

/** A resource with GET of a collection. `list` rejects with the StatusErrors of `Storage.list`. */
export interface Lister extends ResourceStorage {
  list(ctx: RequestContext, options: ListOptions): Promise<StoredList>;
}
/** A resource with `watch` of a collection. `watch` rejects with the StatusErrors of `Storage.watch`. */
export interface Watcher extends ResourceStorage {
  watch(ctx: RequestContext, options: ListOptions): Promise<WatchStream>;
}

/** A resource with POST, after rest.Creater of k8s.io/apiserver. */
export interface Creater extends ResourceStorage {
  /** Whether the posted object refers to an existing object: its uid is then a precondition and is kept. */
  readonly keepsSystemFields?: boolean;
  /** `name` is set for named creates (subresources such as `pods/binding`). */
  create(ctx: RequestContext, name: string, object: KubeObject, options: WriteOptions): Promise<Result>;
}

/** A resource with PUT, and with PATCH if it is a Getter too; after rest.Updater of k8s.io/apiserver. */
export interface Updater extends ResourceStorage {
  /**
   * Calls `update` once per attempt.
   * With `forceAllowCreate` (apply) or a strategy that allows it, `update` may be called with undefined and the object is created.
   */
  update(
    ctx: RequestContext,
    name: string,
    update: ChangeObject,
    options: WriteOptions & {
      readonly forceAllowCreate: boolean;
      /** Preconditions: the stored object must have this version and this uid. */
      readonly resourceVersion?: string;
      readonly uid?: string;
    },
  ): Promise<{ result: Result; created: boolean }>;
}
export interface Patcher extends Getter, Updater {}
export interface GracefulDeleter extends ResourceStorage {
  /** `deleted` false = accepted and pending. */
  delete(
    ctx: RequestContext,
    name: string,
    options: GracefulDeleteOptions,
    validate?: DeleteValidation,
  ): Promise<{ result: Result; deleted: boolean }>;
}
export interface CollectionDeleter extends ResourceStorage {
  deleteCollection(
    ctx: RequestContext,
    options: GracefulDeleteOptions,
    list: ListOptions,
    validate?: DeleteValidation,
  ): Promise<StoredList>;
}

/** A resource that takes over the connection: exec, log, proxy. */
export interface Connecter extends ResourceStorage {
  readonly connectMethods: readonly string[];
  /** Whether the storage only reads, as pods/log does: admission is not called, and no subpath is allowed. */
  readonly readsOnly?: boolean;
  /** The type of the query parameters, such as PodExecOptions: the object that admission sees. Undefined when admission sees none. */
  readonly connectOptions?: Type;
  connect(
    ctx: RequestContext,
    name: string,
    subpath: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void>;
}

/** One column of a Table (TableColumnDefinition of meta/v1). Columns of priority 0 are shown without `-o wide`. */
export interface TableColumnDefinition {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
}

/** Makes the rows of a Table, after rest.TableConvertor of k8s.io/apiserver. */
export interface TableConvertor {
  readonly columns: readonly TableColumnDefinition[];
  /**
   * The large objects and lists that `row` does not read, or of which it only counts the members: they may be OmittedMembers. Undefined = it may read
   * everything.
   */
  readonly omits?: Omits;
  /** One row's cells and conditions for an object in the version of the endpoint. */
  row(object: KubeObject): { cells: unknown[]; conditions?: JsonObject[] };
}
