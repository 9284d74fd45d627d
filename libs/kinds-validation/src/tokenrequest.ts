import type { TokenRequest } from '@apichain/api/authentication/v1';
import { field, type FieldError } from '@apichain/meta';

const shortest = 10 * 60;
const longest = 2 ** 32;

/**
 * Checks the requested lifetime of a service account token:
 * https://kubernetes.io/docs/reference/kubernetes-api/authentication-resources/token-request-v1/
 */
export function tokenRequestErrors(request: TokenRequest): FieldError[] {
  const seconds = request.spec?.expirationSeconds ?? 0;
  const path = 'spec.expirationSeconds';
  if (seconds < shortest) return [field.invalid(path, seconds, 'may not specify a duration less than 10 minutes')];
  return seconds > longest ? [field.invalid(path, seconds, 'may not specify a duration larger than 2^32 seconds')] : [];
}
