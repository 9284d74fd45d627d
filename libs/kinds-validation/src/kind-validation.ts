import type { StoredKinds } from '@apichain/api/stored-kinds';
import type { FieldError, KubeObject } from '@apichain/meta';
import type { Capabilities } from './pod/capabilities.ts';

/** A check of a changed object; `capabilities` are those of the server that asks. */
export type UpdateCheck<T extends KubeObject = KubeObject> = (
  object: T,
  old: T,
  capabilities: Capabilities,
) => FieldError[];

/** The checks of a kind beyond its name and metadata; `T` is the type of its objects in the storage version. `update` repeats those of `create` that apply to stored objects. */
export interface KindValidation<T extends KubeObject = KubeObject> {
  readonly create?: (object: T, old: undefined, capabilities: Capabilities) => FieldError[];
  /** What comes before everything that the kind says of metadata, of new objects and of changed ones. */
  readonly beforeMetadata?: (object: T) => FieldError[];
  /**
   * `none` = the kind leaves its metadata to the check that all kinds share, `new` = it checks that of a change like that of a new object,
   * `onCreate` = it does not check that of a change.
   * Absent = like a new object's on create, and what may not change on update.
   */
  readonly metadata?: 'none' | 'new' | 'onCreate';
  /** The same for updates through a subresource, where it differs from `metadata`. */
  readonly subresourceMetadata?: 'none' | 'changes' | 'new';
  readonly update?: UpdateCheck<T>;
  /** Where an update is first checked like a new object, metadata included, and errors of both come: what comes before `update`. */
  readonly updateStartsWith?: UpdateCheck<T>;
  /** The checks of an update are followed by those of a new object's metadata once more: clients see such errors twice. */
  readonly updateRepeatsCreate?: boolean;
  /** What comes after that. */
  readonly updateEndsWith?: UpdateCheck<T>;
  /** Of updates through a subresource (`status`, ...), after the changes of metadata have been checked. */
  readonly subresources?: Readonly<Record<string, UpdateCheck<T>>>;
}

/** Checks by resource, `pods` or `deployments.apps`. The type of the objects follows from the key. */
export type ValidationTable = { readonly [Resource in keyof StoredKinds]?: KindValidation<StoredKinds[Resource]> };
