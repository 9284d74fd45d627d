import { goQuoteAll } from '@apichain/go-text';

/**
 * The wanted audiences that a token is issued for, in the order of `wanted`. Throws Error when there are none. After pkg/serviceaccount/jwt.go of
 * Kubernetes.
 */
export function commonAudiences(own: readonly string[], wanted: readonly string[]): string[] {
  const owned = new Set(own);
  const audiences = wanted.filter((audience) => owned.has(audience));
  if (audiences.length > 0) return audiences;
  throw new Error(`token audiences ${goQuoteAll(own)} is invalid for the target audiences ${goQuoteAll(wanted)}`);
}
