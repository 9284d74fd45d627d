import type { FieldError, KubeObject } from '@apichain/meta';
import type { Capabilities } from './pod/capabilities.ts';

/** A check of a changed object; `capabilities` are those of the server that asks. */
export type UpdateCheck = (object: KubeObject, old: KubeObject, capabilities: Capabilities) => FieldError[];

/** The checks of a kind beyond its name and metadata. `update` repeats those of `create` that apply to stored objects. */
export interface KindValidation {
  readonly create?: (object: KubeObject, old: undefined, capabilities: Capabilities) => FieldError[];
  /** What comes before everything that the kind says of metadata, of new objects and of changed ones. */
  readonly beforeMetadata?: (object: KubeObject) => FieldError[];
  /**
   * `none` = the kind leaves its metadata to the check that all kinds share, `new` = it checks that of a change like that of a new object,
   * `onCreate` = it does not check that of a change.
   * Absent = like a new object's on create, and what may not change on update.
   */
  readonly metadata?: 'none' | 'new' | 'onCreate';
  /** The same for updates through a subresource, where it differs from `metadata`. */
  readonly subresourceMetadata?: 'none' | 'changes' | 'new';
  readonly update?: UpdateCheck;
  /** Where an update is first checked like a new object, metadata included, and errors of both come: what comes before `update`. */
  readonly updateStartsWith?: UpdateCheck;
  /** The checks of an update are followed by those of a new object's metadata once more: clients see such errors twice. */
  readonly updateRepeatsCreate?: boolean;
  /** What comes after that. */
  readonly updateEndsWith?: UpdateCheck;
  /** Of updates through a subresource (`status`, ...), after the changes of metadata have been checked. */
  readonly subresources?: Readonly<Record<string, UpdateCheck>>;
}
