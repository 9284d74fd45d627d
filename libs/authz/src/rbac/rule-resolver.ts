import type { UserInfo } from '@apichain/authn';
import { goQuote } from '@apichain/go-text';
import { errorMessage, pause } from '@apichain/meta';
import { groupMembership, type IsInGroup } from '../group-membership.ts';
import type { PolicyRule, RoleRef, Subject } from './policy-rule.ts';
import type { RoleBinding, RoleBindings, RoleSource } from './role-source.ts';
import { matchingSubject, SubjectIndex } from './subject-index.ts';

/** The rules that a user has through one binding, or why they could not be read. */
export interface Grant {
  readonly binding: RoleBinding;
  readonly subject: Subject;
  readonly rules: readonly PolicyRule[];
  readonly error?: string;
}

/** The most rules that are looked at, or listed, between two looks at the clock. */
const rulesAtATime = 10_000;

/**
 * Visits the grants of a user: those of the whole cluster, then those of the namespace ('' = only those of the cluster). `visit` is called for
 * each until it returns false. A role that is bound to the user several times is visited once.
 */
export async function visitGrants(
  source: RoleSource,
  user: UserInfo,
  namespace: string,
  visit: (grant: Grant) => boolean | Promise<boolean>,
): Promise<void> {
  const isInGroup = groupMembership(user);
  const visited = new Set<string>();
  let rules = 0;
  const visitAll = async (bindings: RoleBindings): Promise<boolean> => {
    for (const each of bindings) {
      const binding = 'get' in each ? await each.get() : each;
      const subject = subjectOf(binding, user, isInGroup);
      if (subject === undefined) continue;
      const { kind, name } = binding.roleRef;
      const role = kind === 'ClusterRole' ? name : `${binding.namespace}/${name}`;
      if (visited.has(role)) continue;
      visited.add(role);
      const grant = await grantOf(source, binding, subject);
      if (!(await visit(grant))) return false;
      rules += grant.rules.length;
      if (rules < rulesAtATime) continue;
      rules = 0;
      await pause();
    }
    return true;
  };
  if (!(await visitAll(await source.clusterRoleBindings()))) return;
  if (namespace !== '') await visitAll(await source.roleBindings(namespace));
}

const subjectOf = ({ subjects, namespace }: RoleBinding, user: UserInfo, isInGroup: IsInGroup): Subject | undefined =>
  subjects instanceof SubjectIndex
    ? subjects.find(user, isInGroup)
    : matchingSubject(subjects, namespace, user, isInGroup);

async function grantOf(source: RoleSource, binding: RoleBinding, subject: Subject): Promise<Grant> {
  try {
    return { binding, subject, rules: await source.rulesOf(binding.roleRef, binding.namespace) };
  } catch (error) {
    return { binding, subject, rules: [], error: errorMessage(error) };
  }
}

/** The binding that allows a request: the reason in access reviews. */
export function describeGrant(binding: RoleBinding, subject: Subject): string {
  const what =
    binding.namespace === ''
      ? `ClusterRoleBinding ${goQuote(binding.name)}`
      : `RoleBinding ${goQuote(`${binding.name}/${binding.namespace}`)}`;
  return `${what} of ${describeRole(binding.roleRef)} to ${describeSubject(subject, binding.namespace)}`;
}

const describeRole = ({ kind, name }: RoleRef): string => `${kind} ${goQuote(name)}`;

function describeSubject({ kind, name, namespace = '' }: Subject, home: string): string {
  if (kind !== 'ServiceAccount') return `${kind} ${goQuote(name)}`;
  return `${kind} ${goQuote(`${name}/${namespace === '' ? home : namespace}`)}`;
}
