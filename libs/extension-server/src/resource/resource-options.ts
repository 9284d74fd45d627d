import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FieldError, ObjectMeta } from '@apichain/meta';
import type { RequestContext } from '@apichain/request';
import type { Static, TObject } from 'typebox';

/** The object of a resource whose schema is `S`, as handlers and hooks get it. */
export type ObjectOf<S extends TObject> = { apiVersion: string; kind: string; metadata: ObjectMeta } & Static<S>;

/** A column of `kubectl get`, as in a CustomResourceDefinition: the first value that `jsonPath` selects. */
export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly jsonPath: string;
  readonly description?: string;
  readonly format?: string;
  /** 0, the default = always shown; more = only with `-o wide`. */
  readonly priority?: number;
}

/** Where the `scale` subresource finds its values: dotted paths such as `spec.replicas`. */
export interface ScaleOptions {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  /** A string with a label selector; HorizontalPodAutoscalers need it. */
  readonly labelSelectorPath?: string;
}

/** The part of a definition that each version of the kind has of its own. */
interface VersionOptions<S extends TObject> {
  /** The fields of the object beside apiVersion, kind and metadata. */
  readonly schema: S;
  readonly columns?: readonly Column[];
  /** Dotted paths of fields that field selectors may use, e.g. `spec.host`. */
  readonly selectableFields?: readonly string[];
  /** Sets defaults that the `default` keywords of the schema cannot express, in place. It runs whenever a body is decoded, before admission. */
  readonly defaults?: (object: ObjectOf<S>) => void;
  /** Clients get a warning with every request: `true` = a text that names the best version that is not deprecated. */
  readonly deprecated?: boolean | string;
}

/** Whether clients see the version. Default: true. The server can still read objects that were stored in a version that is not served. */
type Served = boolean;

/** A version that is not the storage version, and its conversion. Metadata is not converted. */
export interface OtherVersion<S extends TObject, Stored extends TObject> extends VersionOptions<S> {
  readonly version: string;
  readonly served?: Served;
  /** The fields of the object in the storage version. Must be pure. */
  readonly toStorage: (object: ObjectOf<S>) => Static<Stored>;
  /** The reverse. Nothing may get lost on the way there and back, or an update through this version loses it. */
  readonly fromStorage: (stored: ObjectOf<Stored>) => Static<S>;
}

/** The names of a resource. */
interface Names {
  readonly group: string;
  readonly kind: string;
  /** The name in paths and rules, e.g. `flunders`. */
  readonly plural: string;
  /** Default: `kind` in lower case. */
  readonly singular?: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly shortNames?: readonly string[];
  /** Groups of resources such as `all` (`kubectl get all`). */
  readonly categories?: readonly string[];
}

/**
 * A resource whose objects are stored. Hooks get objects in the storage version. They may throw a StatusError to refuse a request. Any other error
 * is logged, and the client gets InternalError without its text; so it is with the other functions of a program.
 */
export interface StoredResourceOptions<S extends TObject, Others extends readonly TObject[]>
  extends Names, VersionOptions<S> {
  readonly computed?: undefined;
  /** The storage version. */
  readonly version: string;
  readonly served?: Served;
  /** Further versions. At least one version of the resource is served. */
  readonly versions?: { readonly [Index in keyof Others]: OtherVersion<Others[Index], S> };
  /** Serves `/status`: other writes do not change `status`, and writes of `/status` change nothing else. */
  readonly status?: boolean;
  readonly scale?: ScaleOptions;
  /** Changes a new object before it is validated, in place. */
  readonly prepareForCreate?: (object: ObjectOf<S>, ctx: RequestContext) => void | Promise<void>;
  /** Changes an updated object before it is validated, in place. Not called for `/status`. */
  readonly prepareForUpdate?: (object: ObjectOf<S>, old: ObjectOf<S>, ctx: RequestContext) => void | Promise<void>;
  /** Errors of a new object that fits its schema. `field` makes them. */
  readonly validate?: Validate<S>;
  /** Errors of an updated object that fits its schema. Default: those of `validate`. */
  readonly validateUpdate?: (
    object: ObjectOf<S>,
    old: ObjectOf<S>,
    ctx: RequestContext,
  ) => readonly FieldError[] | Promise<readonly FieldError[]>;
}

type Validate<S extends TObject> = (
  object: ObjectOf<S>,
  ctx: RequestContext,
) => readonly FieldError[] | Promise<readonly FieldError[]>;

/** The object without what the library fills in: apiVersion and kind, and empty metadata. */
export type ComputedObject<S extends TObject> = { readonly metadata?: ObjectMeta } & Static<S>;

/** A change of a computed object. */
export interface ComputedEvent<S extends TObject> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: ComputedObject<S>;
}

/**
 * Takes over requests for `connect`: streams and proxies. Like those of kube-apiserver, requests have a deadline (`--request-timeout`) unless the
 * subresource is called attach, exec, log, portforward or proxy.
 */
export interface ConnectOptions {
  /** HTTP methods, e.g. `['GET', 'POST']`. */
  readonly methods: readonly string[];
  /** Answers the request. `subpath` is what follows the name and the subresource in the path, without a slash in front. */
  readonly handle: (call: {
    readonly name: string;
    readonly subpath: string;
    readonly request: IncomingMessage;
    readonly response: ServerResponse;
    readonly ctx: RequestContext;
  }) => void | Promise<void>;
}

/**
 * What a computed resource can do; its verbs follow from the functions that are given. The namespace of a request is
 * `ctx.requestInfo.namespace` ('' = all namespaces), its user `ctx.user`. `ctx.signal` aborts when the client is gone.
 */
export interface ComputedOptions<S extends TObject> {
  /** One object; undefined = it does not exist (404). */
  readonly get?: (
    name: string,
    ctx: RequestContext,
  ) => Promise<ComputedObject<S> | undefined> | ComputedObject<S> | undefined;
  /** All objects of the namespace. Selectors are applied to the result. */
  readonly list?: (ctx: RequestContext) => Promise<readonly ComputedObject<S>[]> | readonly ComputedObject<S>[];
  /**
   * The changes from now on; ends with `ctx.signal`, which aborts when the client is gone or the time of the watch is over. Selectors are applied to
   * the events. An error becomes the last event.
   */
  readonly watch?: (ctx: RequestContext) => AsyncIterable<ComputedEvent<S>>;
  /** Answers a posted object, as reviews do. The object fits its schema. */
  readonly create?: (object: ObjectOf<S>, ctx: RequestContext) => Promise<ComputedObject<S>> | ComputedObject<S>;
  /** Subresources that take over the connection, by name; '' = the resource itself. */
  readonly connect?: Readonly<Record<string, ConnectOptions>>;
}

/** A resource without stored objects. */
export interface ComputedResourceOptions<S extends TObject> extends Names, VersionOptions<S> {
  readonly version: string;
  readonly computed: ComputedOptions<S>;
}
