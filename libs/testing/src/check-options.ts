import type { ApiServiceOptions, ApiServiceResource } from './api-services.ts';
import type { AuditOptions, AuditRule } from './audit.ts';
import { checkMatch, refuseUnknown, type Names } from './known-names.ts';
import type { StartChainOptions, WorkloadOptions } from './test-chain.ts';
import type { UserOptions } from './users.ts';
import type { WebhookOptions } from './webhooks/serving.ts';

const startChainNames: Names<StartChainOptions> = {
  crds: true,
  manifests: true,
  users: true,
  webhooks: true,
  apiServices: true,
  audit: true,
  controllers: true,
  clock: true,
  workloads: true,
  seed: true,
  bindAddress: true,
  port: true,
  flags: true,
  log: true,
  useExistingCluster: true,
};
const workloadNames: Names<WorkloadOptions> = { nodes: true, stages: true, scheduler: true, metrics: true, seed: true };
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
/** Throws TypeError that names an unknown option. Untyped tests and typing errors are common, and an ignored option is hard to find. */
export function checkStartChainOptions(options: StartChainOptions): void {
  refuseUnknown('startChain', 'option', options, startChainNames);
  if (typeof options.workloads === 'object')
    refuseUnknown('startChain: workloads', 'option', options.workloads, workloadNames);
  checkTime(options);
  for (const user of options.users ?? []) checkUser(user);
  if (options.webhooks !== undefined) refuseUnknown('startChain: webhooks', 'option', options.webhooks, webhookNames);
  for (const apiService of options.apiServices ?? []) checkApiService(apiService);
  if (options.audit !== undefined) checkAudit(options.audit);
}

function checkTime({ clock, workloads, ...options }: StartChainOptions): void {
  const seed = options.seed ?? (typeof workloads === 'object' ? workloads.seed : undefined);
  if (seed !== undefined && !Number.isSafeInteger(seed))
    throw new TypeError(`startChain: seed: ${seed} is not an integer`);
  if (
    clock instanceof Date
      ? Number.isNaN(clock.getTime())
      : clock !== undefined && !['machine', 'virtual'].includes(clock)
  )
    throw new TypeError("startChain: clock is 'machine', 'virtual' or a valid Date");
  if (clock === 'machine' && seed !== undefined) throw new TypeError('startChain: a seed needs a virtual clock');
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

/** Policies and levels have checks of their own. */
function checkAudit(audit: AuditOptions): void {
  if (typeof audit !== 'object' || 'rules' in audit) return;
  for (const rule of audit) {
    refuseUnknown('an audit rule', 'field', rule, auditRuleNames);
    if (rule.match !== undefined) checkMatch('an audit rule', rule.match);
  }
}
