import { field, type FieldError, type KubeObject } from '@apichain/meta';
import { at, integer } from '@apichain/kinds';

const shortest = 10 * 60;
const longest = 2 ** 32;

/** How long a service account token may be asked for: https://kubernetes.io/docs/reference/kubernetes-api/authentication-resources/token-request-v1/ */
export function tokenRequestErrors(request: KubeObject): FieldError[] {
  const seconds = integer(at(request.spec, 'expirationSeconds'));
  const path = 'spec.expirationSeconds';
  if (seconds < shortest) return [field.invalid(path, seconds, 'may not specify a duration less than 10 minutes')];
  return seconds > longest ? [field.invalid(path, seconds, 'may not specify a duration larger than 2^32 seconds')] : [];
}
