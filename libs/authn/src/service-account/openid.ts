import type { VerificationKey } from './keys.ts';

/** The documents with which relying parties verify tokens themselves. */
interface OpenIdDocuments {
  /** The document of `/.well-known/openid-configuration`. */
  readonly configuration: object;
  /** The document of `/openid/v1/jwks`. */
  readonly keys: object;
}

/**
 * Undefined when the issuer is not an https URL: OpenID discovery is then not possible.
 * https://kubernetes.io/docs/tasks/configure-pod-container/configure-service-account/#service-account-issuer-discovery
 */
export function openIdDocuments(
  issuer: string,
  jwksUri: string,
  keys: readonly VerificationKey[],
): OpenIdDocuments | undefined {
  if (!URL.canParse(issuer) || new URL(issuer).protocol !== 'https:') return undefined;
  const algorithms = [...new Set(keys.map(({ algorithm }) => algorithm))].sort();
  return {
    configuration: {
      issuer,
      jwks_uri: jwksUri,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: algorithms,
    },
    keys: {
      keys: keys.map(({ id, algorithm, key }) => {
        const { kty, n, e, crv, x, y } = key.export({ format: 'jwk' });
        const shape = kty === 'RSA' ? { n, e } : { crv, x, y };
        return { use: 'sig', kty, kid: id, alg: algorithm, ...shape };
      }),
    },
  };
}
