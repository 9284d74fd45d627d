import { statSync, type Stats } from 'node:fs';
import { isAbsolute } from 'node:path';
import { formatDuration } from '@apichain/go-text';
import { errorMessage, hasErrorCode, isDNS1123Subdomain, field, type FieldError } from '@apichain/meta';
import { matchConditionErrors } from '../webhook/match-conditions.ts';
import type {
  AuthorizationConfiguration,
  AuthorizerConfiguration,
  WebhookConfiguration,
  WebhookConnectionInfo,
} from './authorization-configuration.ts';

const authorizerTypes = ['ABAC', 'AlwaysAllow', 'AlwaysDeny', 'Node', 'RBAC', 'Webhook'];
const knownTypes: ReadonlySet<string> = new Set(authorizerTypes);

const maxTimeout = 30_000;
const reviewVersions: readonly string[] = ['v1', 'v1beta1'];
const conditionVersions: readonly string[] = ['v1'];
const failurePolicies: readonly string[] = ['NoOpinion', 'Deny'];
const connectionTypes: readonly string[] = ['InClusterConfig', 'KubeConfigFile'];

/**
 * Throws Error with the text of kube-apiserver when a configuration is invalid. `expected` = the types, apart from webhooks, that the
 * configuration must contain because the server was started with them.
 */
export function checkAuthorizationConfiguration(
  configuration: AuthorizationConfiguration,
  expected: ReadonlySet<string> = new Set(),
): void {
  const errors = configurationErrors(configuration);
  if (errors.length > 0) throw new Error(field.aggregateFieldErrors(errors));
  const builtIn = configuration.authorizers.filter(({ type }) => type !== 'Webhook');
  const misnamed = builtIn
    .filter(({ type, name }) => name !== type.toLowerCase())
    .map(({ type, name }) => `expected name ${type.toLowerCase()} for authorizer ${type} instead of ${name}`);
  const missing = [...expected].filter((type) => !builtIn.some((each) => each.type === type)).sort();
  const problems = [...misnamed, ...(missing.length === 0 ? [] : [`missing required types: [${missing.join(' ')}]`])];
  if (problems.length > 0) throw new Error(problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`);
}

/** After k8s.io/apiserver/pkg/apis/apiserver/validation. */
function configurationErrors({ authorizers }: AuthorizationConfiguration): FieldError[] {
  if (authorizers.length === 0)
    return [field.required('authorizers', 'at least one authorization mode must be defined')];
  const types = new Set<string>();
  const names = new Set<string>();
  return authorizers.flatMap((authorizer, i) => {
    const path = field.index('authorizers', i);
    const { type, name } = authorizer;
    if (type === '') return [field.required(field.child(path, 'type'))];
    if (!knownTypes.has(type)) return [field.notSupported(field.child(path, 'type'), type, authorizerTypes)];
    if (types.has(type) && type !== 'Webhook') return [field.duplicate(field.child(path, 'type'), type)];
    types.add(type);
    const errors = [...nameErrors(field.child(path, 'name'), name, names), ...webhookMemberErrors(path, authorizer)];
    names.add(name);
    return errors;
  });
}

function nameErrors(path: string, name: string, taken: ReadonlySet<string>): FieldError[] {
  if (name === '') return [field.required(path)];
  if (taken.has(name)) return [field.duplicate(path, name)];
  const problems = isDNS1123Subdomain(name);
  return problems.length === 0 ? [] : [field.invalid(path, name, `authorizer name is invalid: ${problems.join(', ')}`)];
}

function webhookMemberErrors(path: string, { type, webhook }: AuthorizerConfiguration): FieldError[] {
  const member = field.child(path, 'webhook');
  if (type !== 'Webhook')
    return webhook === undefined ? [] : [field.invalid(member, 'non-null', 'may only be specified when type=Webhook')];
  return webhook === undefined ? [field.required(member, 'required when type=Webhook')] : webhookErrors(path, webhook);
}

/** The paths omit the member `webhook`, as in kube-apiserver. */
function webhookErrors(path: string, webhook: WebhookConfiguration): FieldError[] {
  const at = (member: string) => field.child(path, member);
  const version = webhook.matchConditionSubjectAccessReviewVersion;
  const hasConditions = webhook.matchConditions.length > 0;
  return [
    ...timeErrors(at('timeout'), webhook.timeout, 'must be > 0s and <= 30s', maxTimeout),
    ...timeErrors(at('authorizedTTL'), webhook.authorizedTTL, 'must be > 0s'),
    ...timeErrors(at('unauthorizedTTL'), webhook.unauthorizedTTL, 'must be > 0s'),
    ...choiceErrors(at('subjectAccessReviewVersion'), webhook.subjectAccessReviewVersion, reviewVersions),
    ...(version !== ''
      ? choiceErrors(at('matchConditionSubjectAccessReviewVersion'), version, conditionVersions)
      : hasConditions
        ? [field.required(at('matchConditionSubjectAccessReviewVersion'), 'required if match conditions are specified')]
        : []),
    ...choiceErrors(at('failurePolicy'), webhook.failurePolicy, failurePolicies),
    ...connectionErrors(at('connectionInfo'), webhook.connectionInfo),
    ...matchConditionErrors(path, webhook.matchConditions),
  ];
}

function timeErrors(path: string, ms: number, problem: string, most = Infinity): FieldError[] {
  if (ms === 0) return [field.required(path)];
  return ms > most || ms < 0 ? [field.invalid(path, formatDuration(BigInt(Math.round(ms * 1e6))), problem)] : [];
}

function choiceErrors(path: string, value: string, choices: readonly string[]): FieldError[] {
  if (value === '') return [field.required(path)];
  return choices.includes(value) ? [] : [field.notSupported(path, value, choices)];
}

function connectionErrors(path: string, { type, kubeConfigFile: file }: WebhookConnectionInfo): FieldError[] {
  const member = field.child(path, 'kubeConfigFile');
  switch (type) {
    case '':
      return [field.required(field.child(path, 'type'))];
    case 'InClusterConfig':
      return file === undefined ? [] : [field.invalid(member, file, 'can only be set when type=KubeConfigFile')];
    case 'KubeConfigFile': {
      if (file === undefined || file === '') return [field.required(member)];
      const problem = fileProblem(file);
      return problem === undefined ? [] : [field.invalid(member, file, problem)];
    }
    default: {
      const given = { Type: type, KubeConfigFile: file ?? null };
      return [field.notSupported(field.child(path, 'type'), given, connectionTypes)];
    }
  }
}

function fileProblem(path: string): string | undefined {
  if (!isAbsolute(path)) return 'must be an absolute path';
  let stats: Stats;
  try {
    stats = statSync(path);
  } catch (error) {
    const why = errorMessage(error);
    const isMissing = hasErrorCode(error, 'ENOENT');
    return `error loading file: ${isMissing ? `stat ${path}: no such file or directory` : why}`;
  }
  return stats.isFile() ? undefined : 'must be a regular file';
}
