import type { UserInfo } from '@apichain/authn';
import { withoutTrailing } from '@apichain/meta';
import type { RequestInfo } from '@apichain/request';
import type { AuditLevel, AuditStage } from '@apichain/request';

/** Resources of a rule by name: `pods`, `pods/log`, all (`*`), a subresource of all (star, slash, `status`), all of one (`pods/` and a star). */
export interface GroupResources {
  /** '' = core, `*` = every group. */
  readonly group?: string;
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

export interface PolicyRule {
  readonly level: AuditLevel;
  readonly users?: readonly string[];
  readonly userGroups?: readonly string[];
  readonly verbs?: readonly string[];
  readonly resources?: readonly GroupResources[];
  /** '' = resource requests without a namespace. */
  readonly namespaces?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly omitStages?: readonly AuditStage[];
  /** Absent = the policy's default. */
  readonly omitManagedFields?: boolean;
}

/** https://kubernetes.io/docs/reference/config-api/apiserver-audit.v1/#audit-k8s-io-v1-Policy */
export interface AuditPolicy {
  readonly rules: readonly PolicyRule[];
  readonly omitStages?: readonly AuditStage[];
  readonly omitManagedFields?: boolean;
}

/** The decision of the policy about one request. */
export interface AuditDecision {
  readonly level: AuditLevel;
  readonly omitStages: ReadonlySet<AuditStage>;
  readonly omitManagedFields: boolean;
}

/** `user` undefined = the user is unknown. */
type Matcher = (user: UserInfo | undefined, request: RequestInfo) => boolean;

interface CompiledRule {
  readonly matches: Matcher;
  readonly decision: AuditDecision;
}

/** Decides the audit level of requests; called once per request. */
export interface AuditEvaluator {
  /** `user` undefined = the user is unknown. */
  evaluate(user: UserInfo | undefined, request: RequestInfo): AuditDecision;
}

/** The rules of a policy, compiled once. The first rule that matches a request decides. */
export class AuditPolicyEvaluator implements AuditEvaluator {
  readonly #rules: readonly CompiledRule[];
  readonly #otherwise: AuditDecision;

  constructor({ rules, omitStages = [], omitManagedFields = false }: AuditPolicy) {
    this.#rules = rules.map((rule) => ({
      matches: matcherOf(rule),
      decision: {
        level: rule.level,
        omitStages: new Set([...omitStages, ...(rule.omitStages ?? [])]),
        omitManagedFields: rule.omitManagedFields ?? omitManagedFields,
      },
    }));
    this.#otherwise = { level: 'None', omitStages: new Set(omitStages), omitManagedFields };
  }

  evaluate(user: UserInfo | undefined, request: RequestInfo): AuditDecision {
    for (const { matches, decision } of this.#rules) if (matches(user, request)) return decision;
    return this.#otherwise;
  }
}

/** Compiles only the conditions that the rule has. Source: ruleMatches of k8s.io/apiserver/pkg/audit/policy. */
function matcherOf(rule: PolicyRule): Matcher {
  const conditions: Matcher[] = [];
  const { users = [], userGroups = [], verbs = [], resources = [], namespaces = [], nonResourceURLs = [] } = rule;
  if (users.length > 0) conditions.push((user) => user !== undefined && users.includes(user.name));
  if (userGroups.length > 0)
    conditions.push((user) => user !== undefined && user.groups.some((group) => userGroups.includes(group)));
  if (verbs.length > 0) conditions.push((_user, { verb }) => verbs.includes(verb));
  if (namespaces.length > 0 || resources.length > 0) {
    conditions.push((_user, { isResourceRequest }) => isResourceRequest);
    if (namespaces.length > 0) conditions.push((_user, { namespace }) => namespaces.includes(namespace));
    if (resources.length > 0) conditions.push((_user, request) => resources.some((group) => isAmong(group, request)));
  } else if (nonResourceURLs.length > 0) {
    conditions.push(
      (_user, { isResourceRequest, path }) =>
        !isResourceRequest && nonResourceURLs.some((pattern) => matchesPath(path, pattern)),
    );
  }
  return (user, request) => conditions.every((condition) => condition(user, request));
}

function matchesPath(path: string, pattern: string): boolean {
  return pattern === path || (pattern.endsWith('*') && path.startsWith(withoutTrailing(pattern, '*')));
}

function isAmong({ group = '', resources = [], resourceNames = [] }: GroupResources, request: RequestInfo): boolean {
  if (group !== '*' && group !== request.apiGroup) return false;
  if (resources.length === 0) return true;
  if (resourceNames.length > 0 && !resourceNames.includes(request.name)) return false;
  const { resource, subresource } = request;
  const combined = subresource === '' ? resource : `${resource}/${subresource}`;
  return resources.some(
    (wanted) =>
      wanted === '*' ||
      wanted === combined ||
      wanted === `${resource}/*` ||
      (subresource !== '' && wanted === `*/${subresource}`),
  );
}
