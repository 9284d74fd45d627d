import type { FieldError, GroupVersionKind, KubeObject } from '@apichain/meta';
import type { RequestContext } from '@apichain/request';
import type { ReadDefaults } from '@apichain/storage';

/** A name rule: undefined when valid, otherwise one message per violation. `prefix` = the name is a generateName base. */
export type NameValidator = (name: string, prefix: boolean) => string[];

export type GarbageCollectionPolicy = 'DeleteDependents' | 'OrphanDependents' | 'Unsupported';

/**
 * The rules of a kind for writing its objects, after k8s.io/apiserver/pkg/registry/rest strategies.
 * `T` is the type of the kind's objects in the storage version. Hooks get plain objects and change them in place. A missing hook does
 * nothing. Order: create = prepareForCreate, validate,
 * generic metadata validation, warningsOnCreate, canonicalize; update = prepareForUpdate, generic, validateUpdate, warnings, canonicalize.
 */
export interface Strategy<T extends KubeObject = KubeObject> {
  readonly namespaceScoped: boolean;
  readonly validateName: NameValidator;
  readonly allowCreateOnUpdate: boolean;
  readonly allowUnconditionalUpdate: boolean;
  /** Whether the base of generateName is used unchanged as the name (IPAddress). */
  readonly generateNameUnchanged?: boolean;
  /** Whether updates come only from the server itself: neither the object nor its metadata is validated. */
  readonly storesUnchecked?: boolean;
  readonly prepareForCreate?: (ctx: RequestContext, object: T) => void | Promise<void>;
  readonly validate?: (ctx: RequestContext, object: T) => FieldError[] | Promise<FieldError[]>;
  readonly warningsOnCreate?: (ctx: RequestContext, object: T) => string[] | Promise<string[]>;
  readonly prepareForUpdate?: (ctx: RequestContext, object: T, old: T) => void | Promise<void>;
  readonly validateUpdate?: (ctx: RequestContext, object: T, old: T) => FieldError[] | Promise<FieldError[]>;
  readonly warningsOnUpdate?: (ctx: RequestContext, object: T, old: T) => string[] | Promise<string[]>;
  readonly canonicalize?: (object: T) => void;
  /** Defaults that are set when an object is read but are not stored on create. So the first update is written even without changes. */
  readonly readDefaults?: ReadDefaults<T>;
  /** Fields that a write through this endpoint never owns, as dotted paths by apiVersion, e.g. { 'apps/v1': ['status'] }. */
  readonly resetFields?: Readonly<Record<string, readonly string[]>>;
  readonly defaultGarbageCollectionPolicy?: (ctx: RequestContext) => GarbageCollectionPolicy;
  /** Pods only: whether the object is deleted gracefully; false = it is removed at once. May change `options.gracePeriodSeconds`. */
  readonly checkGracefulDelete?: (ctx: RequestContext, object: T, options: GracefulDeleteOptions) => boolean;
  /**
   * Deletes in two steps (namespaces, CRDs). Called first with the stored object. `mark` = the hook has changed the object (deletion
   * timestamp, phase, finalizers): store and return it; `wait` = return it unchanged; `continue` = delete as usual.
   */
  readonly beginDelete?: (
    ctx: RequestContext,
    object: T,
    options: GracefulDeleteOptions,
  ) => 'mark' | 'wait' | 'continue';
  /** Whether DELETE returns the object instead of a Success Status. */
  readonly returnDeletedObject?: boolean;
  /** Throws a StatusError to refuse a delete, e.g. of system priority classes. */
  readonly validateDelete?: (ctx: RequestContext, object: T) => void | Promise<void>;
  readonly warningsOnDelete?: (ctx: RequestContext, options: GracefulDeleteOptions) => string[];
  /** An additional condition for removing a marked object whose last finalizer was removed by an update (namespaces: spec.finalizers empty). */
  readonly shouldDeleteDuringUpdate?: (object: T, old: T) => boolean;
  /** Allocates resources outside the object (service IPs, node ports). `done(false)` releases them. Throws StatusError. */
  readonly beginCreate?: (
    ctx: RequestContext,
    object: T,
    dryRun: boolean,
  ) => Promise<(ok: boolean) => Promise<void> | void>;
  readonly beginUpdate?: (
    ctx: RequestContext,
    object: T,
    old: T,
    dryRun: boolean,
  ) => Promise<(ok: boolean) => Promise<void> | void>;
  /** Checks permissions that the new object requires, before its resourceVersion is checked; without `old` it is created. Throws StatusError. */
  readonly checkUpdate?: (ctx: RequestContext, object: T, old: T | undefined) => Promise<void>;
  readonly afterDelete?: (ctx: RequestContext, object: T, dryRun: boolean) => Promise<void> | void;
  /** TTL of a written object in seconds (events). */
  readonly ttlSeconds?: (object: T) => number | undefined;
}

/** DeleteOptions of meta/v1. Strategies may change `gracePeriodSeconds`. */
export interface GracefulDeleteOptions {
  gracePeriodSeconds?: number;
  propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  orphanDependents?: boolean;
  preconditions?: { uid?: string; resourceVersion?: string };
  dryRun?: string[];
}

/** The names and the scope of a resource in the API. */
export interface ResourceInfo {
  readonly kind: GroupVersionKind;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
}

/**
 * The strategy of a plain /status: takes status and metadata from the request, everything else from the stored object. Kinds with
 * other rules for their status provide a different strategy.
 */
export function defaultStatusStrategy(strategy: Strategy): Strategy {
  const { shouldDeleteDuringUpdate, canonicalize } = strategy;
  return {
    namespaceScoped: strategy.namespaceScoped,
    validateName: strategy.validateName,
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: strategy.allowUnconditionalUpdate,
    prepareForUpdate: (_ctx, object: KubeObject, old: KubeObject) => {
      for (const name of Object.keys(object)) if (!requested.has(name)) delete object[name];
      for (const [name, value] of Object.entries(old)) if (!requested.has(name)) object[name] = value;
    },
    shouldDeleteDuringUpdate,
    canonicalize,
    resetFields: {},
  };
}

const requested: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'status']);
