import type { FlagDefinition } from './flag.ts';

const authentication = 'Authentication';
const authorization = 'Authorization';

/** The flags of authentication and authorization. */
export const authenticationFlags: readonly FlagDefinition[] = [
  {
    name: 'authentication-config',
    type: 'string',
    section: authentication,
    usage:
      'File with an AuthenticationConfiguration: issuers of JSON web tokens, and the requests that allow anonymous users. Excludes --oidc-*. Changes of the file are followed.',
  },
  {
    name: 'client-ca-file',
    type: 'string',
    section: authentication,
    usage:
      'Client certificates signed by one of the authorities in this file are authenticated with the identity in their common name.',
  },
  {
    name: 'token-auth-file',
    type: 'string',
    section: authentication,
    usage: 'File of static tokens: token,user,uid,"group1,group2".',
  },
  {
    name: 'enable-bootstrap-token-auth',
    type: 'bool',
    section: authentication,
    usage: "Authenticate the tokens in Secrets of type 'bootstrap.kubernetes.io/token' in the namespace kube-system.",
  },
  {
    name: 'oidc-issuer-url',
    type: 'string',
    section: authentication,
    usage: 'URL of the OpenID provider whose ID tokens are accepted; https only.',
  },
  {
    name: 'oidc-client-id',
    type: 'string',
    section: authentication,
    usage: 'Audience that ID tokens must have.',
  },
  {
    name: 'oidc-ca-file',
    type: 'string',
    section: authentication,
    usage: "Authorities of the OpenID provider's certificate. Empty = those of the host.",
  },
  {
    name: 'oidc-username-claim',
    type: 'string',
    default: 'sub',
    section: authentication,
    usage: 'The claim with the user name.',
  },
  {
    name: 'oidc-username-prefix',
    type: 'string',
    section: authentication,
    usage: 'Prefix of the user name. Empty = the issuer and #, unless the claim is email; - = no prefix.',
  },
  {
    name: 'oidc-groups-claim',
    type: 'string',
    section: authentication,
    usage: 'The claim with the groups of the user, a string or a list of strings.',
  },
  {
    name: 'oidc-groups-prefix',
    type: 'string',
    section: authentication,
    usage: 'Prefix of each group.',
  },
  {
    name: 'oidc-required-claim',
    type: 'map',
    section: authentication,
    usage: 'Claims that a token must have, with their values: name=value. May be given several times.',
  },
  {
    name: 'oidc-signing-algs',
    type: 'strings',
    default: 'RS256',
    section: authentication,
    usage: 'Signing algorithms that are accepted.',
  },
  {
    name: 'authentication-token-webhook-config-file',
    type: 'string',
    section: authentication,
    usage: 'Kubeconfig of a webhook that authenticates bearer tokens.',
  },
  {
    name: 'authentication-token-webhook-version',
    type: 'string',
    default: 'v1beta1',
    section: authentication,
    usage: 'Version of the TokenReviews sent to the webhook: v1 or v1beta1.',
  },
  {
    name: 'authentication-token-webhook-cache-ttl',
    type: 'duration',
    default: '2m0s',
    section: authentication,
    usage: 'How long responses of the token webhook are cached.',
  },
  {
    name: 'service-account-issuer',
    type: 'strings',
    default: 'https://kubernetes.default.svc',
    section: authentication,
    usage: 'Issuer of service account tokens; several are accepted, the first one is put into new tokens.',
  },
  {
    name: 'service-account-key-file',
    type: 'strings',
    section: authentication,
    usage: 'File of RSA or ECDSA keys (public, private, or certificates) that verify service account tokens.',
  },
  {
    name: 'service-account-lookup',
    type: 'bool',
    default: 'true',
    section: authentication,
    usage: 'Tokens in Secrets are valid only as long as the Secret exists.',
  },
  {
    name: 'api-audiences',
    type: 'strings',
    section: authentication,
    usage: 'Identifiers of the API. A service account token must have one of them as its audience. Empty = the issuer.',
  },
  {
    name: 'anonymous-auth',
    type: 'bool',
    default: 'true',
    section: authentication,
    usage: 'Requests that no authenticator rejects are treated as anonymous.',
  },
  {
    name: 'requestheader-client-ca-file',
    type: 'string',
    section: authentication,
    usage: 'Authorities of the client certificates of front proxies.',
  },
  {
    name: 'requestheader-allowed-names',
    type: 'strings',
    section: authentication,
    usage: 'Common names a front proxy may have; empty = any signed by --requestheader-client-ca-file.',
  },
  {
    name: 'requestheader-username-headers',
    type: 'strings',
    default: 'X-Remote-User',
    section: authentication,
    usage: 'Request headers to inspect for user names.',
  },
  {
    name: 'requestheader-uid-headers',
    type: 'strings',
    default: 'X-Remote-Uid',
    section: authentication,
    usage: 'Request headers to inspect for user uids. With --requestheader-username-headers there is no default.',
  },
  {
    name: 'requestheader-group-headers',
    type: 'strings',
    default: 'X-Remote-Group',
    section: authentication,
    usage: 'Request headers to inspect for groups.',
  },
  {
    name: 'requestheader-extra-headers-prefix',
    type: 'strings',
    default: 'X-Remote-Extra-',
    section: authentication,
    usage: 'Prefixes of request headers to inspect for extra attributes.',
  },
];

export const authorizationFlags: readonly FlagDefinition[] = [
  {
    name: 'authorization-config',
    type: 'string',
    section: authorization,
    usage:
      'File with an AuthorizationConfiguration: the authorizers in their order. Excludes --authorization-mode and --authorization-webhook-*. Changes of the file are followed.',
  },
  {
    name: 'authorization-mode',
    type: 'strings',
    section: authorization,
    usage:
      'Ordered list of authorizers: AlwaysAllow, AlwaysDeny, ABAC, Node, RBAC, Webhook. Empty = only members of system:masters are allowed, and everybody for health and version paths.',
  },
  {
    name: 'authorization-policy-file',
    type: 'string',
    section: authorization,
    usage: 'Policies of --authorization-mode=ABAC, one JSON object per line.',
  },
  {
    name: 'authorization-webhook-config-file',
    type: 'string',
    section: authorization,
    usage: 'Kubeconfig of the webhook of --authorization-mode=Webhook.',
  },
  {
    name: 'authorization-webhook-version',
    type: 'string',
    default: 'v1beta1',
    section: authorization,
    usage: 'Version of the SubjectAccessReviews sent to the webhook: v1 or v1beta1.',
  },
  {
    name: 'authorization-webhook-cache-authorized-ttl',
    type: 'duration',
    default: '5m0s',
    section: authorization,
    usage: 'How long allowed responses of the webhook are cached.',
  },
  {
    name: 'authorization-webhook-cache-unauthorized-ttl',
    type: 'duration',
    default: '30s',
    section: authorization,
    usage: 'How long denied responses of the webhook are cached.',
  },
];
