import type { UserInfo } from '@apichain/authn';
import { goQuote, goQuoteAll } from '@apichain/go-text';
import { type PolicyRule, describeRule } from './policy-rule.ts';
import type { RoleSource } from './role-source.ts';
import { compactRules, findMissingRules } from './rule-coverage.ts';
import { visitGrants } from './rule-resolver.ts';

/** The limit of the text that lists the missing rules, in characters. */
const maxShown = 256 * 1024;

/**
 * Why the user may not grant these rules: the user does not have all of them. Undefined = the user may grant them.
 * https://kubernetes.io/docs/reference/access-authn-authz/rbac/#privilege-escalation-prevention-and-bootstrapping
 */
export async function escalationProblem(
  source: RoleSource,
  user: UserInfo,
  namespace: string,
  wanted: readonly PolicyRule[],
): Promise<string | undefined> {
  const errors = new Set<string>();
  const missing = await findMissingRules(
    (take) =>
      visitGrants(source, user, namespace, ({ rules, error }) => {
        if (error !== undefined) errors.add(error);
        return take(rules);
      }),
    wanted,
  );
  if (missing.length === 0) return undefined;
  const lines = [...new Set(compactRules(missing).map(describeRule))].sort();
  const who = `user ${goQuote(user.name)} (groups=${goQuoteAll(user.groups)})`;
  const held = lines.join('\n');
  const shown = held.length > maxShown ? `${held.slice(0, maxShown)}...` : held;
  const text = `${who} is attempting to grant RBAC permissions not currently held:\n${shown}`;
  return errors.size === 0 ? text : `${text}; resolution errors: [${[...errors].join(' ')}]`;
}

/** Full permissions, which are required to set an aggregationRule. */
export const fullAuthority: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];
