import { didYouMean } from '@apichain/meta';
import type { ApiServiceOptions, ApiServiceResource } from './api-services.ts';
import type { AuditOptions, AuditRule } from './audit.ts';
import type { Fault } from './faults.ts';
import type { RequestMatch } from './request-match.ts';
import type { StartChainOptions } from './test-chain.ts';
import type { UserOptions } from './users.ts';
import type { WebhookOptions } from './webhooks/serving.ts';

/** The names of all members of an object type. The compiler refuses a table that lacks one. */
type Names<T> = Readonly<Record<keyof T, true>>;

const startChainNames: Names<StartChainOptions> = {
  crds: true,
  manifests: true,
  users: true,
  webhooks: true,
  apiServices: true,
  audit: true,
  controllers: true,
  bindAddress: true,
  port: true,
  flags: true,
  log: true,
  useExistingCluster: true,
};
const userNames: Names<UserOptions> = { name: true, groups: true };
const webhookNames: Names<WebhookOptions> = {
  configurations: true,
  handlers: true,
  converters: true,
  host: true,
  port: true,
};
const apiServiceNames: Names<ApiServiceOptions> = {
  group: true,
  version: true,
  resources: true,
  handler: true,
  port: true,
  groupPriorityMinimum: true,
  versionPriority: true,
};
const resourceNames: Names<ApiServiceResource> = {
  name: true,
  kind: true,
  namespaced: true,
  verbs: true,
  singularName: true,
  shortNames: true,
  categories: true,
};
const auditRuleNames: Names<AuditRule> = { level: true, match: true };
const faultNames: Names<Fault> = {
  match: true,
  status: true,
  message: true,
  retryAfterSeconds: true,
  latencyMs: true,
  dropWatchAfterMs: true,
  times: true,
};
const matchNames: Names<RequestMatch> = {
  verb: true,
  group: true,
  version: true,
  resource: true,
  subresource: true,
  namespace: true,
  name: true,
  user: true,
};

/** The verbs of requests for resources, and of requests for other paths, which have the names of HTTP methods. */
const verbs = [
  ...['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'],
  ...['post', 'put', 'head', 'options'],
];

/** Throws TypeError that names an unknown option. Untyped tests and typing errors are common, and an ignored option is hard to find. */
export function checkStartChainOptions(options: StartChainOptions): void {
  refuseUnknown('startChain', 'option', options, startChainNames);
  for (const user of options.users ?? []) checkUser(user);
  if (options.webhooks !== undefined) refuseUnknown('startChain: webhooks', 'option', options.webhooks, webhookNames);
  for (const apiService of options.apiServices ?? []) checkApiService(apiService);
  if (options.audit !== undefined) checkAudit(options.audit);
}

/** As checkStartChainOptions. */
export function checkUser(user: UserOptions): void {
  refuseUnknown('a user', 'option', user, userNames);
  if (typeof user.name !== 'string' || user.name === '') throw new TypeError('a user: name is required');
}

/** As checkStartChainOptions. */
export function checkApiService(apiService: ApiServiceOptions): void {
  const what = `API service ${apiService.group}/${apiService.version}`;
  refuseUnknown(what, 'option', apiService, apiServiceNames);
  for (const resource of apiService.resources ?? [])
    refuseUnknown(`${what}: a resource`, 'field', resource, resourceNames);
}

/** As checkStartChainOptions. */
export function checkFault(fault: Fault): void {
  refuseUnknown('a fault', 'option', fault, faultNames);
  if (fault.match !== undefined) checkMatch('a fault', fault.match);
}

/** Policies and levels have checks of their own. */
function checkAudit(audit: AuditOptions): void {
  if (typeof audit !== 'object' || 'rules' in audit) return;
  for (const rule of audit) {
    refuseUnknown('an audit rule', 'field', rule, auditRuleNames);
    if (rule.match !== undefined) checkMatch('an audit rule', rule.match);
  }
}

function checkMatch(what: string, match: RequestMatch): void {
  refuseUnknown(`${what}: match`, 'field', match, matchNames);
  const { verb } = match;
  if (verb !== undefined && !verbs.includes(verb))
    throw new TypeError(`${what}: match: unknown verb ${JSON.stringify(verb)}${hint(verb, verbs)}`);
}

/** Throws TypeError with the name of a member of `value` that is not in the table. */
export function refuseUnknown(
  what: string,
  noun: 'option' | 'field',
  value: object,
  known: Readonly<Record<string, true>>,
): void {
  for (const name of Object.keys(value)) {
    if (Object.hasOwn(known, name)) continue;
    throw new TypeError(`${what}: unknown ${noun} ${JSON.stringify(name)}${hint(name, Object.keys(known))}`);
  }
}

/** The name that was probably meant, or all names. */
const hint = (name: string, known: readonly string[]): string =>
  didYouMean(name, known) || `; there are ${known.join(', ')}`;
