import type { KubeObject } from '@apichain/meta';

/** A copy of a resource that follows the server. */
export interface Following {
  /** The revision up to which the copy is complete; undefined before the first list. */
  readonly resourceVersion: string | undefined;
}

/**
 * The revision of an object, for comparison with another of the same kind: an integer of 64 bits.
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions
 */
export const resourceVersionOf = ({ metadata }: KubeObject): bigint => BigInt(metadata.resourceVersion ?? 0);

/** Whether a copy shows what was written with this revision, or something newer. */
export const hasReached = ({ resourceVersion }: Following, written: bigint): boolean =>
  BigInt(resourceVersion ?? 0) >= written;
