import type { KubeObject } from '@apichain/meta';
import type { NameValidator, Strategy } from '@apichain/apiserver';
import type { RequestContext } from '@apichain/request';
import type { GatedFields } from './gated-fields.ts';
import type { ServerHooks } from './server-hooks.ts';

/**
 * How the names of a kind are validated. `unchecked` = only after all other checks have passed. `any` = only the path segment rule that all kinds
 * share. `longName` = a subdomain with the message of newer checks, which do not validate generateName.
 */
export type NameRule = 'unchecked' | 'subdomain' | 'longName' | 'label' | 'any' | 'ipAddress' | 'storageVersion';

/**
 * The deviations of a kind from the default: one row of the table in `table.ts`. The interpreter builds a strategy from it, `builtin.ts` the
 * storages of the resource. Scope, create-on-update and unconditional update are part of the resource's data, not of the row. `T` is the type of
 * the objects in the storage version.
 */
export interface KindBehaviour<T extends KubeObject = KubeObject> {
  readonly name: NameRule;
  /** The name validator, where it depends on other fields of the object. */
  readonly nameOf?: (object: T) => NameValidator;
  /**
   * Status of a new object: `reset` = removed on create and restored from the stored object on update, `keep` = unchanged.
   * Use `keep` for kinds without a status field.
   */
  readonly status: 'reset' | 'keep';
  /** The status that a new object gets, where it is not the empty status of the type. */
  readonly initialStatus?: (object: T) => unknown;
  /** metadata.generation: 1 on create, +1 when one of these top-level fields changes. `'*'` = any field outside metadata. Absent = never set. */
  readonly generation?: readonly string[];
  /** Fields that are dropped while their feature gate is disabled. */
  readonly gated?: readonly GatedFields[];
  /** The generation is computed before gated fields are dropped and `prepareForUpdate` runs, so dropped values count as changes. */
  readonly gatedIsChange?: boolean;
  /** Empty collections in the fields of `generation` count as changes: for Go they differ from the absent ones of the stored object. */
  readonly emptyIsChange?: boolean;
  readonly returnDeletedObject?: boolean;
  /** Server-side apply: paths that the main endpoint never owns. `['status']` when absent and the status is reset; `[]` for none. */
  readonly resetFields?: readonly string[];
  /** Runs after the steps that the other fields of the row describe. */
  readonly prepareForCreate?: (object: T, ctx: RequestContext) => void;
  readonly prepareForUpdate?: (object: T, old: T, ctx: RequestContext) => void;
  readonly warnings?: (object: T, old: T | undefined) => string[];
  /** Other members of the strategy, used unchanged. */
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
  /** The selector in the Scale of an object, as text; absent = the resource has no Scale. */
  readonly scaleSelector?: (object: T) => string;
  /** Behaviour that needs more than the object. */
  readonly server?: ServerHooks<T>;
  /** Storage methods that are removed. Verbs follow from the methods. */
  readonly withoutMethods?: readonly string[];
}

/** Which members an update through a subresource takes from the request; the others come from the stored object. */
export interface SubresourceBehaviour<T extends KubeObject = KubeObject> {
  /** Top-level members taken from the stored object. */
  readonly fromOld: readonly string[];
  /**
   * Metadata: `request` = that of the request, `reset` = labels, annotations, finalizers and owners from the stored object,
   * `old` = all from the stored object except managedFields.
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
