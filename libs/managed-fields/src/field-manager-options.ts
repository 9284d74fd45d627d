import type { GroupVersionKind, KubeObject } from '@apichain/meta';
import type { Type } from '@apichain/scheme';

/** The properties of the endpoint that a FieldManager serves. */
export interface FieldManagerOptions {
  /** The type of the kind in the endpoint's version. A named type is treated as a Go struct, an unnamed one as a custom resource. */
  readonly type: Type;
  /** The kind and version that the endpoint accepts. */
  readonly groupVersionKind: GroupVersionKind;
  /** `status`, `scale`, ...; empty or absent for the main resource. */
  readonly subresource?: string;
  /** Dotted paths that writes through this endpoint never own, e.g. `status`; by apiVersion where versions differ. */
  readonly resetFields?: readonly string[] | Readonly<Record<string, readonly string[]>>;
  /** Converts an object to another version; undefined when that version is unknown. Without this option, no other version is known. */
  readonly convert?: (object: KubeObject, apiVersion: string) => KubeObject | undefined;
  /** The kind in the storage version; absent when the endpoint's version is the storage version. */
  readonly hub?: GroupVersionKind;
  /** The type of the kind in another version. */
  readonly typeOf?: (apiVersion: string) => Type | undefined;
  /** Whether live objects may have been written with an earlier schema; only for custom resources. */
  readonly typeHasChanged?: boolean;
  /** The clock for the times of entries, in milliseconds since the epoch. */
  readonly now?: () => number;
}
