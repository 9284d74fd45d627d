import {
  configurationRoot,
  configurationStruct,
  decodeConfiguration,
  optionalMember,
  type ConfigurationKind,
  type Type,
} from '@apichain/scheme';

/** https://kubernetes.io/docs/reference/config-api/apiserver-config.v1/#apiserver-config-k8s-io-v1-AuthenticationConfiguration */
export interface AuthenticationConfiguration {
  readonly jwt: readonly JwtAuthenticator[];
  readonly anonymous?: AnonymousConfiguration;
}

/** Which requests may be anonymous: `anonymous` of an AuthenticationConfiguration. */
export interface AnonymousConfiguration {
  readonly enabled: boolean;
  /** Only requests to these paths; all when there are none. */
  readonly conditions: readonly { readonly path: string }[];
}

/** An issuer of JSON web tokens, and how their claims map to users. Absent texts are empty. */
export interface JwtAuthenticator {
  readonly issuer: Issuer;
  readonly claimValidationRules: readonly ClaimValidationRule[];
  readonly claimMappings: ClaimMappings;
  readonly userValidationRules: readonly UserValidationRule[];
}
export interface Issuer {
  readonly url: string;
  readonly discoveryURL?: string;
  /** PEM. */
  readonly certificateAuthority: string;
  readonly audiences: readonly string[];
  readonly audienceMatchPolicy: string;
  readonly egressSelectorType: string;
}

/** Either a claim with its value, or an expression with a message. */
export interface ClaimValidationRule {
  readonly claim: string;
  readonly requiredValue: string;
  readonly expression: string;
  readonly message: string;
}
export interface ClaimMappings {
  readonly username: PrefixedClaim;
  readonly groups: PrefixedClaim;
  readonly uid: ClaimOrExpression;
  readonly extra: readonly ExtraMapping[];
}
export interface ClaimOrExpression {
  readonly claim: string;
  readonly expression: string;
}
export interface PrefixedClaim extends ClaimOrExpression {
  readonly prefix?: string;
}
interface ExtraMapping {
  readonly key: string;
  readonly valueExpression: string;
}
export interface UserValidationRule {
  readonly expression: string;
  readonly message: string;
}

const text: Type = { kind: 'string' };
const listOf = (items: Type): Type => ({ kind: 'array', items });

function configurationType(version: string): Type {
  const struct: typeof configurationStruct = (name, members) => configurationStruct(`${version}.${name}`, members);
  const prefixed = struct('PrefixedClaimOrExpression', { claim: text, prefix: optionalMember(text), expression: text });
  const rule = struct('ClaimValidationRule', { claim: text, requiredValue: text, expression: text, message: text });
  const mappings = struct('ClaimMappings', {
    username: prefixed,
    groups: prefixed,
    uid: struct('ClaimOrExpression', { claim: text, expression: text }),
    extra: listOf(struct('ExtraMapping', { key: text, valueExpression: text })),
  });
  const issuer = struct('Issuer', {
    url: text,
    discoveryURL: optionalMember(text),
    certificateAuthority: text,
    audiences: listOf(text),
    audienceMatchPolicy: text,
    egressSelectorType: text,
  });
  const jwt = struct('JWTAuthenticator', {
    issuer,
    claimValidationRules: listOf(rule),
    claimMappings: mappings,
    userValidationRules: listOf(struct('UserValidationRule', { expression: text, message: text })),
  });
  const anonymous = struct('AnonymousAuthConfig', {
    enabled: { kind: 'boolean' },
    conditions: listOf(struct('AnonymousAuthCondition', { path: text })),
  });
  return configurationRoot(`${version}.AuthenticationConfiguration`, {
    jwt: listOf(jwt),
    anonymous: optionalMember(anonymous),
  });
}

const configuration: ConfigurationKind = {
  kind: 'AuthenticationConfiguration',
  versions: new Map(
    ['v1alpha1', 'v1beta1', 'v1'].map((version) => [`apiserver.config.k8s.io/${version}`, configurationType(version)]),
  ),
  scheme: 'k8s.io/kubernetes/pkg/kubeapiserver/options/authentication.go:891',
  siblings: ['AuthorizationConfiguration', 'AdmissionConfiguration', 'TracingConfiguration'],
};

interface DecodedConfiguration {
  readonly jwt?: readonly DecodedJwt[] | null;
  readonly anonymous?: { readonly enabled: boolean; readonly conditions: { readonly path: string }[] | null };
}
interface DecodedJwt {
  readonly issuer: Omit<Issuer, 'audiences'> & { readonly audiences: readonly string[] | null };
  readonly claimValidationRules: readonly ClaimValidationRule[] | null;
  readonly claimMappings: Omit<ClaimMappings, 'extra'> & { readonly extra: readonly ExtraMapping[] | null };
  readonly userValidationRules: readonly UserValidationRule[] | null;
}

/** Parses the file. Throws Error with the text of kube-apiserver. */
export function parseAuthenticationConfiguration(bytes: Buffer | string): AuthenticationConfiguration {
  if (bytes.length === 0) throw new Error('empty config data');
  const { jwt, anonymous }: DecodedConfiguration = decodeConfiguration(bytes, configuration);
  return {
    jwt: (jwt ?? []).map(jwtOf),
    ...(anonymous === undefined
      ? {}
      : { anonymous: { enabled: anonymous.enabled, conditions: anonymous.conditions ?? [] } }),
  };
}

const jwtOf = (given: DecodedJwt): JwtAuthenticator => ({
  issuer: { ...given.issuer, audiences: given.issuer.audiences ?? [] },
  claimValidationRules: given.claimValidationRules ?? [],
  claimMappings: { ...given.claimMappings, extra: given.claimMappings.extra ?? [] },
  userValidationRules: given.userValidationRules ?? [],
});
