export { AbacAuthorizer } from './abac/abac-authorizer.ts';
export { parseAbacPolicies } from './abac/policy-file.ts';
export { AlwaysAllowPathsAuthorizer, PrivilegedGroupsAuthorizer, alwaysAllow, alwaysDeny } from './builtin.ts';
export { AuthorizationDecisions } from './authorization-decisions.ts';
export {
  type AuthorizationAttributes,
  type AuthorizationResult,
  type Authorizer,
  type Decision,
  type NonResourceRule,
  type ResourceRule,
  type RuleList,
  pathAttributes,
  ReplaceableAuthorizer,
  resourceAttributes,
} from './authorizer.ts';
export {
  parseAuthorizationConfiguration,
  type AuthorizationConfiguration,
  type WebhookConfiguration,
} from './configuration/authorization-configuration.ts';
export { checkAuthorizationConfiguration } from './configuration/configuration-validation.ts';
export { FollowedNodes } from './node/node-graph.ts';
export { NodeAuthorizer, nodeOf } from './node/node-authorizer.ts';
export { nodeRules } from './node/node-rules.ts';
export { RbacAuthorizer } from './rbac/authorizer.ts';
export { escalationProblem, fullAuthority } from './rbac/escalation.ts';
export { FollowedRoles } from './rbac/followed-roles.ts';
export { isLarge, LargeBinding } from './rbac/large-objects.ts';
export { bindingOf, rbacGroup, rulesOfRole } from './rbac/objects.ts';
export type { PolicyRule, RoleRef, Subject } from './rbac/policy-rule.ts';
export type { RoleBinding, RoleBindings, RoleSource } from './rbac/role-source.ts';
export { missingRules } from './rbac/rule-coverage.ts';
export { UnionAuthorizer } from './union.ts';
export { MatchConditions } from './webhook/match-conditions.ts';
export { WebhookAuthorizer } from './webhook/webhook-authorizer.ts';
