import type { GroupVersionKind, KubeObject } from '@apichain/meta';
import type { Type } from '@apichain/scheme';

/** What a FieldManager knows of its endpoint. */
export interface FieldManagerOptions {
  /** The type of the kind in the version of the endpoint. A named type counts as a Go struct, an unnamed one as a custom resource. */
  readonly type: Type;
  /** Kind and version that the endpoint takes. */
  readonly groupVersionKind: GroupVersionKind;
  /** `status`, `scale`, ...; empty or absent for the main resource. */
  readonly subresource?: string;
  /** Dotted paths that writes through this endpoint never own, e.g. `status`; by apiVersion where versions differ. */
  readonly resetFields?: readonly string[] | Readonly<Record<string, readonly string[]>>;
  /** The object in another version; undefined when it is unknown. Without it, there is none. */
  readonly convert?: (object: KubeObject, apiVersion: string) => KubeObject | undefined;
  /** The kind in the version of the store; absent where that is the version of the endpoint. */
  readonly hub?: GroupVersionKind;
  /** The type of the kind in another version. */
  readonly typeOf?: (apiVersion: string) => Type | undefined;
  /** Whether live objects may have been written under another type, for custom resources. */
  readonly typeHasChanged?: boolean;
  /** Milliseconds since the epoch; the clock that stamps entries. */
  readonly now?: () => number;
}
