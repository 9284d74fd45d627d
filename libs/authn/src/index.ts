export { AnonymousAuthenticator, anonymousUser } from './anonymous.ts';
export type { Authenticator, UserInfo } from './authenticator.ts';
export { BootstrapTokenAuthenticator } from './bootstrap-token-authenticator.ts';
export { certificateRequestProblem, requestedKey } from './certificate-request/problem.ts';
export { requestedCommonName, requestedOrganizations } from './certificate-request/request.ts';
export {
  chainIdentityHeader,
  encodeIdentity,
  chainLinkOf,
  isChainProxy,
  markChainLink,
  type ChainProxies,
} from './chain-identity.ts';
export { ClientCertificateAuthenticator, isAuthenticatedByCertificate } from './client-certificate.ts';
export { credentialOf, presenting, type Credential } from './credential.ts';
export {
  parseAuthenticationConfiguration,
  type AnonymousConfiguration,
  type AuthenticationConfiguration,
  type JwtAuthenticator,
} from './oidc/authentication-configuration.ts';
export { authenticationConfigurationErrors, jwtAuthenticatorErrors } from './oidc/configuration-validation.ts';
export { OidcTokenAuthenticator } from './oidc/oidc-token-authenticator.ts';
export type { FetchJson, FetchText } from './oidc/fetch.ts';
export { OidcProvider } from './oidc/provider.ts';
export { oidcAlgorithms } from './oidc/signature.ts';
export {
  certificateExpiry,
  certificatesOn,
  commonName,
  parseCertificateBundle,
  PeerCertificates,
  subjectAttribute,
} from './peer-certificate.ts';
export {
  ReplaceableTokenAuthenticator,
  BearerTokenAuthenticator,
  StaticTokenAuthenticator,
  UnionTokenAuthenticator,
  bearerToken,
  invalidBearerToken,
  type TokenAuthenticator,
} from './token.ts';
export {
  RequestHeaderAuthenticator,
  type RequestHeaderSettings,
  addExtra,
  defaultRequestHeaders,
  escapeExtraKey,
  headerUtf8,
  unescapeExtraKey,
} from './request-header.ts';
export { isSameSecret } from './secrets.ts';
export type { KubernetesClaims } from './service-account/claims.ts';
export { parsePublicKeys, parseSigningKey, type VerificationKey } from './service-account/keys.ts';
export { LegacyTokenAuthenticator } from './service-account/legacy-token-authenticator.ts';
export { ClientTokenObjects, type TokenSecrets } from './service-account/object-lookup.ts';
export { openIdDocuments } from './service-account/openid.ts';
export { StoredTokenObjects } from './service-account/stored-objects.ts';
export { ServiceAccountTokenAuthenticator } from './service-account/token-authenticator.ts';
export { ServiceAccountTokenCounts } from './service-account/signed-tokens.ts';
export { ServiceAccountTokenIssuer } from './service-account/token-issuer.ts';
export { CachedTokenAuthenticator, type TokenCacheObserver } from './token-cache.ts';
export { parseTokenFile } from './token-file.ts';
export { AuthenticationUnavailableError } from './unavailable.ts';
export { UnionAuthenticator } from './union.ts';
export { WebhookTokenAuthenticator } from './webhook-token-authenticator.ts';
export {
  nodeUserPrefix,
  parseServiceAccountName,
  serviceAccountGroups,
  serviceAccountPrefix,
  systemAnonymous,
  systemApiserver,
  systemAuthenticatedGroup,
  systemMonitoringGroup,
  systemPrivilegedGroup,
  systemUnauthenticatedGroup,
  withAuthenticatedGroup,
} from './well-known.ts';
