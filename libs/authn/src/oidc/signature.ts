import { constants, createPublicKey, verify, type JsonWebKey, type KeyObject } from 'node:crypto';
import type { ParsedToken } from '../service-account/jwt.ts';

/** The algorithms that providers may sign with: https://www.rfc-editor.org/rfc/rfc7518#section-3.1, those with a public key. */
export const oidcAlgorithms: readonly string[] = [
  'RS256',
  'RS384',
  'RS512',
  'ES256',
  'ES384',
  'ES512',
  'PS256',
  'PS384',
  'PS512',
];

/** A public key of a provider. */
export interface ProviderKey {
  readonly id: string;
  readonly key: KeyObject;
}

/** The keys of a JSON web key set that signatures can be checked with; others are left out. */
export function keysOf(keySet: unknown): ProviderKey[] {
  const { keys } = (keySet ?? {}) as { readonly keys?: unknown };
  if (!Array.isArray(keys)) return [];
  return keys.flatMap((jwk: JsonWebKey & { readonly kid?: unknown; readonly use?: unknown }) => {
    if (typeof jwk !== 'object' || jwk === null || (jwk.use !== undefined && jwk.use !== 'sig')) return [];
    try {
      const key = createPublicKey({ key: jwk, format: 'jwk' });
      return [{ id: typeof jwk.kid === 'string' ? jwk.kid : '', key }];
    } catch {
      // A key of a kind that is not known here: tokens that need it are refused.
      return [];
    }
  });
}

/** Whether the key has signed the token in the way that its header says. */
export function hasSigned({ key }: ProviderKey, { header, signed, signature }: ParsedToken): boolean {
  const algorithm = String(header['alg']);
  const digest = `sha${algorithm.slice(2)}`;
  const isElliptic = algorithm.startsWith('ES');
  if (isElliptic !== (key.asymmetricKeyType === 'ec')) return false;
  if (isElliptic) return verify(digest, signed, { key, dsaEncoding: 'ieee-p1363' }, signature);
  if (key.asymmetricKeyType !== 'rsa') return false;
  const padding = algorithm.startsWith('PS') ? constants.RSA_PKCS1_PSS_PADDING : constants.RSA_PKCS1_PADDING;
  return verify(digest, signed, { key, padding, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }, signature);
}
