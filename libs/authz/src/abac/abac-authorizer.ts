import type { UserInfo } from '@apichain/authn';
import type { AuthorizationAttributes, AuthorizationResult, Authorizer, RuleList } from '../authorizer.ts';
import { groupMembership, type IsInGroup } from '../group-membership.ts';
import { urlCovers } from '../rbac/policy-rule.ts';
import type { AbacPolicy } from './policy-file.ts';

const reading: readonly string[] = ['get', 'list', 'watch'];
const anyVerb: readonly string[] = ['*'];
const covers = (policy: string, asked: string): boolean => policy === '*' || policy === asked;

/**
 * `--authorization-mode=ABAC`: allows what a line of the policy file allows, and never denies.
 * https://kubernetes.io/docs/reference/access-authn-authz/abac/
 */
export class AbacAuthorizer implements Authorizer {
  readonly #policies: readonly AbacPolicy[];

  constructor(policies: readonly AbacPolicy[]) {
    this.#policies = policies;
  }

  authorize(asked: AuthorizationAttributes): AuthorizationResult {
    const isInGroup = groupMembership(asked.user);
    return this.#policies.some((policy) => allows(policy, asked, isInGroup))
      ? { decision: 'Allow', reason: '' }
      : { decision: 'NoOpinion', reason: 'No policy matched.' };
  }

  rulesFor(user: UserInfo, namespace: string): RuleList {
    const isInGroup = groupMembership(user);
    const own = this.#policies.filter(
      (policy) => isFor(policy, user, isInGroup) && covers(policy.namespace, namespace),
    );
    const verbs = (policy: AbacPolicy) => (policy.readonly ? reading : anyVerb);
    return {
      resourceRules: own
        .filter(({ resource }) => resource !== '')
        .map((policy) => ({
          verbs: verbs(policy),
          apiGroups: [policy.apiGroup],
          resources: [policy.resource],
          resourceNames: [],
        })),
      nonResourceRules: own
        .filter(({ nonResourcePath }) => nonResourcePath !== '')
        .map((policy) => ({ verbs: verbs(policy), nonResourceURLs: [policy.nonResourcePath] })),
      incomplete: false,
    };
  }
}

/** A line that names a user and a group requires both. A line that names neither matches no user. */
function isFor({ user, group }: AbacPolicy, { name }: UserInfo, isInGroup: IsInGroup): boolean {
  if (user === '' && group === '') return false;
  return (user === '' || covers(user, name)) && (group === '' || group === '*' || isInGroup(group));
}

function allows(policy: AbacPolicy, asked: AuthorizationAttributes, isInGroup: IsInGroup): boolean {
  if (!isFor(policy, asked.user, isInGroup)) return false;
  if (policy.readonly && !reading.includes(asked.verb)) return false;
  if (!asked.isResourceRequest) return urlCovers(policy.nonResourcePath, asked.path);
  return (
    covers(policy.namespace, asked.namespace) &&
    covers(policy.resource, asked.resource) &&
    covers(policy.apiGroup, asked.apiGroup)
  );
}
