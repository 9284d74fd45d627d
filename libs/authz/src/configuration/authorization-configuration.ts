import { parseDurationMs } from '@apichain/go-text';
import {
  configurationRoot,
  configurationStruct,
  decodeConfiguration,
  optionalMember,
  type ConfigurationKind,
  type Type,
} from '@apichain/scheme';

/** https://kubernetes.io/docs/reference/config-api/apiserver-config.v1/#apiserver-config-k8s-io-v1-AuthorizationConfiguration */
export interface AuthorizationConfiguration {
  readonly authorizers: readonly AuthorizerConfiguration[];
}
export interface AuthorizerConfiguration {
  readonly type: string;
  readonly name: string;
  readonly webhook?: WebhookConfiguration;
}

/** One webhook of an AuthorizationConfiguration: https://kubernetes.io/docs/reference/config-api/apiserver-config.v1/ */
export interface WebhookConfiguration {
  /** Milliseconds, like the other durations. */
  readonly authorizedTTL: number;
  readonly cacheAuthorizedRequests: boolean;
  readonly unauthorizedTTL: number;
  readonly cacheUnauthorizedRequests: boolean;
  readonly timeout: number;
  readonly subjectAccessReviewVersion: string;
  readonly matchConditionSubjectAccessReviewVersion: string;
  /** `NoOpinion` or `Deny`. */
  readonly failurePolicy: string;
  readonly connectionInfo: WebhookConnectionInfo;
  readonly matchConditions: readonly MatchCondition[];
}
export interface WebhookConnectionInfo {
  /** `KubeConfigFile` or `InClusterConfig`. */
  readonly type: string;
  readonly kubeConfigFile?: string;
}
export interface MatchCondition {
  readonly expression: string;
}

const text: Type = { kind: 'string' };
const duration: Type = { kind: 'duration' };
const flag = optionalMember({ kind: 'boolean' });
const listOf = (items: Type): Type => ({ kind: 'array', items });

function configurationType(version: string): Type {
  const struct: typeof configurationStruct = (name, members) => configurationStruct(`${version}.${name}`, members);
  const webhook = struct('WebhookConfiguration', {
    authorizedTTL: duration,
    cacheAuthorizedRequests: flag,
    unauthorizedTTL: duration,
    cacheUnauthorizedRequests: flag,
    timeout: duration,
    subjectAccessReviewVersion: text,
    matchConditionSubjectAccessReviewVersion: text,
    failurePolicy: text,
    connectionInfo: struct('WebhookConnectionInfo', { type: text, kubeConfigFile: optionalMember(text) }),
    matchConditions: listOf(struct('WebhookMatchCondition', { expression: text })),
  });
  const authorizer = struct('AuthorizerConfiguration', { type: text, name: text, webhook: optionalMember(webhook) });
  return configurationRoot(`${version}.AuthorizationConfiguration`, { authorizers: listOf(authorizer) });
}

const configuration: ConfigurationKind = {
  kind: 'AuthorizationConfiguration',
  versions: new Map(
    ['v1alpha1', 'v1beta1', 'v1'].map((version) => [`apiserver.config.k8s.io/${version}`, configurationType(version)]),
  ),
  scheme: 'k8s.io/apiserver/pkg/apis/apiserver/load/load.go:32',
  siblings: ['AuthenticationConfiguration', 'AdmissionConfiguration', 'TracingConfiguration'],
};

const defaultAuthorizedTTL = 5 * 60_000;
const defaultUnauthorizedTTL = 30_000;

type Times = 'authorizedTTL' | 'unauthorizedTTL' | 'timeout';
interface DecodedWebhook extends Omit<
  WebhookConfiguration,
  Times | 'matchConditions' | 'cacheAuthorizedRequests' | 'cacheUnauthorizedRequests'
> {
  readonly authorizedTTL: string;
  readonly unauthorizedTTL: string;
  readonly timeout: string;
  readonly cacheAuthorizedRequests?: boolean;
  readonly cacheUnauthorizedRequests?: boolean;
  readonly matchConditions: readonly MatchCondition[] | null;
}
interface Decoded {
  readonly authorizers?:
    | readonly { readonly type: string; readonly name: string; readonly webhook?: DecodedWebhook }[]
    | null;
}

const withDefaults = (given: DecodedWebhook): WebhookConfiguration => ({
  ...given,
  authorizedTTL: parseDurationMs(given.authorizedTTL) || defaultAuthorizedTTL,
  cacheAuthorizedRequests: given.cacheAuthorizedRequests ?? true,
  unauthorizedTTL: parseDurationMs(given.unauthorizedTTL) || defaultUnauthorizedTTL,
  cacheUnauthorizedRequests: given.cacheUnauthorizedRequests ?? true,
  timeout: parseDurationMs(given.timeout),
  matchConditions: given.matchConditions ?? [],
});

/** Parses the file and sets the defaults. An empty file gives an empty configuration. Throws Error with the text of kube-apiserver. */
export function parseAuthorizationConfiguration(bytes: Buffer | string): AuthorizationConfiguration {
  if (bytes.length === 0) return { authorizers: [] };
  const { authorizers }: Decoded = decodeConfiguration(bytes, configuration);
  return {
    authorizers: (authorizers ?? []).map(({ type, name, webhook }) => ({
      type,
      name,
      ...(webhook === undefined ? {} : { webhook: withDefaults(webhook) }),
    })),
  };
}
