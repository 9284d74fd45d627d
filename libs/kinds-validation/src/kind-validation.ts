import type { StoredKinds } from '@apichain/api/stored-kinds';
import type { FieldError, KubeObject, NameValidator } from '@apichain/meta';
import type { CompiledExpressions } from './common/compiled-expressions.ts';
import type { Capabilities } from './pod/context.ts';

/** The context of a check: what the server allows, and how objects of the kind are named. */
export interface ValidationContext extends Capabilities {
  readonly namespaced: boolean;
  /** The rule for the name of an object. */
  readonly nameRule: (object: KubeObject) => NameValidator;
  readonly compiled: CompiledExpressions;
}

/** A check of a new object. */
type CreateCheck<T extends KubeObject = KubeObject> = (
  object: T,
  old: undefined,
  context: ValidationContext,
) => FieldError[];

/** A check of an updated object; `old` is the stored one. */
type UpdateCheck<T extends KubeObject = KubeObject> = (object: T, old: T, context: ValidationContext) => FieldError[];

/**
 * The checks of a kind, in the order of kube-apiserver: clients see errors in that order, and some errors twice. The checks of metadata
 * (`object-meta.ts`) are steps like the others. `T` is the type of the objects in the storage version.
 */
export interface KindValidation<T extends KubeObject = KubeObject> {
  readonly create: readonly CreateCheck<T>[];
  readonly update: readonly UpdateCheck<T>[];
  /** Compiles the expressions of a new or updated object into `compiled`, with pauses; it runs before the checks. Absent = it has few. */
  readonly compile?: (object: T, old: T | undefined, compiled: CompiledExpressions) => Promise<void>;
  /** The checks of updates through a subresource: `status`, `approval`, ... Absent = none. */
  readonly subresources?: Readonly<Record<string, readonly UpdateCheck<T>[]>>;
}

/** Checks by resource, `pods` or `deployments.apps`. The key determines the type of the objects. */
export type ValidationTable = { readonly [Resource in keyof StoredKinds]?: KindValidation<StoredKinds[Resource]> };
