import { goQuoteAll } from '@apichain/go-text';
import { withoutTrailing } from '@apichain/meta';
import type { AuthorizationAttributes } from '../authorizer.ts';

/** One grant of a Role or ClusterRole: https://kubernetes.io/docs/reference/access-authn-authz/rbac/#role-and-clusterrole */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

/** The Role or ClusterRole that a binding grants. */
export interface RoleRef {
  readonly apiGroup: string;
  readonly kind: string;
  readonly name: string;
}

/** The User, Group or ServiceAccount that a binding grants a role to. */
export interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly apiGroup?: string;
}

const none: readonly string[] = [];
const covers = (granted: readonly string[], wanted: string): boolean =>
  granted.includes('*') || granted.includes(wanted);

/** Whether a rule allows the request. Source: pkg/apis/rbac/v1/evaluation_helpers.go. */
export function ruleAllows(rule: PolicyRule, asked: AuthorizationAttributes): boolean {
  if (!covers(rule.verbs, asked.verb)) return false;
  if (!asked.isResourceRequest) return (rule.nonResourceURLs ?? none).some((url) => urlCovers(url, asked.path));
  const { resourceNames = none } = rule;
  return (
    covers(rule.apiGroups ?? none, asked.apiGroup) &&
    resourceMatches(rule.resources ?? none, asked.resource, asked.subresource) &&
    (resourceNames.length === 0 || resourceNames.includes(asked.name))
  );
}

function resourceMatches(granted: readonly string[], resource: string, subresource: string): boolean {
  if (subresource === '') return covers(granted, resource);
  return covers(granted, `${resource}/${subresource}`) || granted.includes(`*/${subresource}`);
}

/** A trailing `*` matches the rest of the path. */
export function urlCovers(granted: string, path: string): boolean {
  if (granted === '*' || granted === path) return true;
  return granted.endsWith('*') && path.startsWith(withoutTrailing(granted, '*'));
}

/** Formats a rule for messages: `{APIGroups:[""], Resources:["pods"], Verbs:["get"]}`. */
export function describeRule(rule: PolicyRule): string {
  const parts: readonly (readonly [string, readonly string[] | undefined])[] = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ];
  const shown = parts.flatMap(([name, values = none]) =>
    values.length === 0 ? [] : [`${name}:${goQuoteAll(values)}`],
  );
  return `{${shown.join(', ')}}`;
}
