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
  /** The types of the kind in the known versions, by apiVersion. Absent: only the version of the endpoint is known. */
  readonly versions?: ReadonlyMap<string, Type>;
  /**
   * Converts an object to another of the versions; does not change its argument. Rejects with StatusError when the webhook of the kind fails. Absent:
   * objects cannot be converted.
   */
  readonly convert?: ((object: KubeObject, apiVersion: string) => KubeObject | Promise<KubeObject>) | undefined;
  /** Whether versions differ in nothing but their name. Conversion in another thread then needs no help of this one. */
  readonly onlyRenames?: boolean;
  /** The kind in the storage version; absent when the endpoint's version is the storage version. */
  readonly hub?: GroupVersionKind;
  /** Whether live objects may have been written with an earlier schema; only for custom resources. */
  readonly typeHasChanged?: boolean;
  /** The clock for the times of entries, in milliseconds since the epoch. */
  readonly now?: () => number;
}
