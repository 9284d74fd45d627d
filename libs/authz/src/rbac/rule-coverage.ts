import { type PolicyRule, urlCovers } from './policy-rule.ts';

const none: readonly string[] = [];

/**
 * What of `wanted` nobody who holds `owned` may do, in the smallest parts; empty = everything is covered.
 * Source: k8s.io/component-helpers/auth/rbac/validation/policy_comparator.go.
 */
export function missingRules(owned: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  const parts = wanted.flatMap(breakDown);
  return parts.filter((part) => !owned.some((rule) => ruleCovers(rule, part)));
}

function breakDown(rule: PolicyRule): PolicyRule[] {
  const { verbs, apiGroups = none, resources = none, resourceNames = none, nonResourceURLs = none } = rule;
  const parts: PolicyRule[] = [];
  for (const group of apiGroups) {
    for (const resource of resources) {
      for (const verb of verbs) {
        const part = { apiGroups: [group], resources: [resource], verbs: [verb] };
        if (resourceNames.length === 0) parts.push(part);
        else for (const name of resourceNames) parts.push({ ...part, resourceNames: [name] });
      }
    }
  }
  for (const url of nonResourceURLs) for (const verb of verbs) parts.push({ nonResourceURLs: [url], verbs: [verb] });
  return parts;
}

const hasAll = (granted: readonly string[], wanted: readonly string[]): boolean =>
  granted.includes('*') || wanted.every((value) => granted.includes(value));

function ruleCovers(owned: PolicyRule, part: PolicyRule): boolean {
  return (
    hasAll(owned.verbs, part.verbs) &&
    hasAll(owned.apiGroups ?? none, part.apiGroups ?? none) &&
    resourcesCover(owned.resources ?? none, part.resources ?? none) &&
    namesCover(owned.resourceNames ?? none, part.resourceNames ?? none) &&
    (part.nonResourceURLs ?? none).every((url) => (owned.nonResourceURLs ?? none).some((own) => urlCovers(own, url)))
  );
}

function resourcesCover(owned: readonly string[], wanted: readonly string[]): boolean {
  if (hasAll(owned, wanted)) return true;
  return wanted.every((path) => {
    const slash = path.indexOf('/');
    return owned.includes(path) || (slash >= 0 && owned.includes(`*${path.slice(slash)}`));
  });
}

function namesCover(owned: readonly string[], wanted: readonly string[]): boolean {
  if (owned.length === 0) return true;
  return wanted.length > 0 && wanted.every((name) => owned.includes(name));
}

/** Puts the verbs for one resource together, so that messages stay short. Rules of several resources are left alone. */
export function compactRules(rules: readonly PolicyRule[]): PolicyRule[] {
  const others: PolicyRule[] = [];
  const byResource = new Map<string, PolicyRule>();
  for (const rule of rules) {
    const { apiGroups = none, resources = none, resourceNames = none, nonResourceURLs = none } = rule;
    const simple =
      apiGroups.length === 1 && resources.length === 1 && resourceNames.length <= 1 && nonResourceURLs.length === 0;
    if (!simple) {
      others.push(rule);
      continue;
    }
    const key = JSON.stringify([apiGroups, resources, resourceNames]);
    const known = byResource.get(key);
    byResource.set(key, known === undefined ? rule : { ...known, verbs: [...known.verbs, ...rule.verbs] });
  }
  return [...others, ...byResource.values()];
}
