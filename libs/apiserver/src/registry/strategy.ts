import type { FieldError, GroupVersionKind, KubeObject } from '@apichain/meta';
import type { ReadDefaults } from '@apichain/storage';
import type { RequestContext } from '@apichain/request';

/** A name rule: undefined when fine, otherwise one detail text per violation. `prefix` = the name is a generateName base. */
export type NameValidator = (name: string, prefix: boolean) => string[];

export type GarbageCollectionPolicy = 'DeleteDependents' | 'OrphanDependents' | 'Unsupported';

/**
 * What differs between kinds when their objects are written, after k8s.io/apiserver/pkg/registry/rest strategies.
 * `T` is the type of the kind's objects in the storage version. Hooks get plain objects and change them in place; an absent hook does nothing. Order: create = prepareForCreate, validate,
 * generic metadata validation, warningsOnCreate, canonicalize; update = prepareForUpdate, generic, validateUpdate, warnings, canonicalize.
 */
export interface Strategy<T extends KubeObject = KubeObject> {
  readonly namespaceScoped: boolean;
  readonly validateName: NameValidator;
  readonly allowCreateOnUpdate: boolean;
  readonly allowUnconditionalUpdate: boolean;
  /** The base of generateName is used as it is (IPAddress). */
  readonly generateNameUnchanged?: boolean;
  /** Updates are the server's own: nothing of the object is checked, its metadata neither. */
  readonly storesUnchecked?: boolean;
  readonly prepareForCreate?: (ctx: RequestContext, object: T) => void | Promise<void>;
  readonly validate?: (ctx: RequestContext, object: T) => FieldError[] | Promise<FieldError[]>;
  readonly warningsOnCreate?: (ctx: RequestContext, object: T) => string[] | Promise<string[]>;
  readonly prepareForUpdate?: (ctx: RequestContext, object: T, old: T) => void | Promise<void>;
  readonly validateUpdate?: (ctx: RequestContext, object: T, old: T) => FieldError[] | Promise<FieldError[]>;
  readonly warningsOnUpdate?: (ctx: RequestContext, object: T, old: T) => string[] | Promise<string[]>;
  readonly canonicalize?: (object: T) => void;
  /** What new objects are stored without, and read with: their first update is written even when it changes nothing. */
  readonly readDefaults?: ReadDefaults<T>;
  /** Paths a write through this endpoint never owns, as dotted field paths by apiVersion, e.g. { 'apps/v1': ['status'] }. */
  readonly resetFields?: Readonly<Record<string, readonly string[]>>;
  readonly defaultGarbageCollectionPolicy?: (ctx: RequestContext) => GarbageCollectionPolicy;
  /** Pods only: seconds of grace, or undefined when the object goes at once. May change `options.gracePeriodSeconds`. */
  readonly checkGracefulDelete?: (ctx: RequestContext, object: T, options: GracefulDeleteOptions) => boolean;
  /**
   * Deletes in two steps (namespaces, CRDs): called first with the stored object. `mark` = the hook has changed the object (deletion
   * timestamp, phase, finalizers), write it and answer with it; `wait` = answer with it as it is; `continue` = delete as usual.
   */
  readonly beginDelete?: (
    ctx: RequestContext,
    object: T,
    options: GracefulDeleteOptions,
  ) => 'mark' | 'wait' | 'continue';
  /** DELETE answers with the object instead of a Success Status. */
  readonly returnDeletedObject?: boolean;
  /** May refuse a delete, e.g. system priority classes; throws a StatusError. */
  readonly validateDelete?: (ctx: RequestContext, object: T) => void | Promise<void>;
  readonly warningsOnDelete?: (ctx: RequestContext, options: GracefulDeleteOptions) => string[];
  /** Deleting while updates emptied the finalizers also needs this (namespaces: spec.finalizers empty). */
  readonly shouldDeleteDuringUpdate?: (object: T, old: T) => boolean;
  /** Resources taken outside the object (service IPs, node ports). `done(false)` gives them back. Throws StatusError. */
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
  /** Rights that the new object itself asks for, before its resourceVersion is looked at; without `old` it will be created. Throws StatusError. */
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

/** Where in the API a resource lives. */
export interface ResourceInfo {
  readonly kind: GroupVersionKind;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
}
