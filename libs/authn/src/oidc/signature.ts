/** The algorithms that providers may sign with: those of https://www.rfc-editor.org/rfc/rfc7518#section-3.1 with a public key. */
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
