import type { KubeObject } from '@apichain/meta';
import type { NameValidator, Strategy } from '@apichain/apiserver';
import type { RequestContext } from '@apichain/request';
import type { GatedFields } from './gated-fields.ts';
import type { ServerHooks } from './server-hooks.ts';

/**
 * How the names of a kind are checked; `unchecked` = not with the rest, only when the rest is fine, `any` = only the path segment rule that
 * all kinds share, `longName` = a subdomain as newer checks word it, which leave generateName alone.
 */
export type NameRule = 'unchecked' | 'subdomain' | 'longName' | 'label' | 'any' | 'ipAddress' | 'storageVersion';

/**
 * What a kind does differently: one row of the table in `table.ts`. The interpreter makes a strategy of it, `builtin.ts` the storages of the
 * resource. Scope, create-on-update and unconditional update are not here: they come with the resource's own data. `T` is the type of the
 * objects in the storage version.
 */
export interface KindBehaviour<T extends KubeObject = KubeObject> {
  readonly name: NameRule;
  /** Where other fields of an object say how it may be named. */
  readonly nameOf?: (object: T) => NameValidator;
  /**
   * Status of a new object: `reset` = taken away on create and kept from the stored object on update, `keep` = nothing is done.
   * Without a status field say `keep`.
   */
  readonly status: 'reset' | 'keep';
  /** What the status is reset to when it is not the empty status of the type. */
  readonly initialStatus?: (object: T) => unknown;
  /**
   * metadata.generation: 1 on create, +1 when one of these top-level fields changes. `'*'` = anything outside metadata. Absent = never set.
   */
  readonly generation?: readonly string[];
  /** Fields that are dropped while their feature gate is closed. */
  readonly gated?: readonly GatedFields[];
  /** What an update brings and what is dropped, for its gate or in `prepareForUpdate`, counts as a change of desired state. */
  readonly gatedIsChange?: boolean;
  /** Empty collections in the fields of `generation` count as changes: Go compares deeply, and the stored object has none. */
  readonly emptyIsChange?: boolean;
  readonly returnDeletedObject?: boolean;
  /** SSA: paths that the main endpoint never owns. `['status']` when absent and the status is reset; `[]` for none. */
  readonly resetFields?: readonly string[];
  /** Runs after the table's own work. */
  readonly prepareForCreate?: (object: T, ctx: RequestContext) => void;
  readonly prepareForUpdate?: (object: T, old: T, ctx: RequestContext) => void;
  readonly warnings?: (object: T, old: T | undefined) => string[];
  /** Everything else a strategy has, taken over as it is. */
  readonly hooks?: Partial<
    Pick<
      Strategy<T>,
      | 'beginDelete'
      | 'canonicalize'
      | 'checkGracefulDelete'
      | 'defaultGarbageCollectionPolicy'
      | 'generateNameUnchanged'
      | 'readDefaults'
      | 'shouldDeleteDuringUpdate'
      | 'ttlSeconds'
      | 'validateDelete'
      | 'warningsOnDelete'
    >
  >;
  /** Update subresources that share the object: `status`, `approval`, `finalize`, ... */
  readonly subresources?: Readonly<Record<string, SubresourceBehaviour<T>>>;
  /** The selector that the Scale of an object shows, as text; absent = the resource has no Scale. */
  readonly scaleSelector?: (object: T) => string;
  /** What the kind does with more than the object. */
  readonly server?: ServerHooks<T>;
  /** The resource is served only while this feature gate is open. */
  readonly gate?: string;
  /** Methods of a storage that this one goes without. Verbs follow from the methods. */
  readonly withoutMethods?: readonly string[];
}

/** What an update through a subresource keeps of the request; the rest comes from the stored object. */
export interface SubresourceBehaviour<T extends KubeObject = KubeObject> {
  /** Top-level members taken from the stored object. */
  readonly fromOld: readonly string[];
  /**
   * Metadata: `request` = the request's, `reset` = labels, annotations, finalizers and owners from the stored object,
   * `old` = all of it from the stored object but managedFields.
   */
  readonly metadata: 'request' | 'reset' | 'old';
  readonly resetFields: readonly string[];
  readonly gated?: readonly GatedFields[];
  readonly prepareForUpdate?: (object: T, old: T, ctx: RequestContext) => void;
  readonly warnings?: (object: T) => string[];
  readonly shouldDeleteDuringUpdate?: (object: T, old: T) => boolean;
  /** As in `KindBehaviour`. */
  readonly withoutMethods?: readonly string[];
}
