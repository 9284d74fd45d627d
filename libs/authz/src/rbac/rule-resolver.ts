import { type UserInfo, serviceAccountPrefix } from '@apichain/authn';
import { goQuote } from '@apichain/go-text';
import { errorMessage } from '@apichain/meta';
import { groupMembership, type IsInGroup } from '../group-membership.ts';
import type { PolicyRule, RoleRef, Subject } from './policy-rule.ts';
import type { RoleBinding, RoleSource } from './role-source.ts';

/** The rules that a user has through one binding, or why they could not be read. */
export interface Grant {
  readonly binding: RoleBinding;
  readonly subject: Subject;
  readonly rules: readonly PolicyRule[];
  readonly error?: string;
}

interface ResolvedRules {
  readonly rules: readonly PolicyRule[];
  /** The errors of bindings whose role is missing. They do not affect the other rules. */
  readonly errors: readonly string[];
}

/** Bindings with more subjects than this get an index. */
const mostScanned = 16;

/** The position of each subject in a binding, by user or group name. The first one wins when a name repeats. */
interface SubjectIndex {
  readonly users: ReadonlyMap<string, number>;
  readonly groups: ReadonlyMap<string, number>;
}

/** They depend on the binding alone. */
const indexes = new WeakMap<RoleBinding, SubjectIndex>();

/** The index is created on the first lookup of a binding, because every later request uses it again. */
function indexOf(binding: RoleBinding): SubjectIndex {
  const known = indexes.get(binding);
  if (known !== undefined) return known;
  const users = new Map<string, number>();
  const groups = new Map<string, number>();
  for (const [i, { kind, name, namespace = '' }] of binding.subjects.entries()) {
    const home = namespace === '' ? binding.namespace : namespace;
    if (kind === 'Group') {
      if (!groups.has(name)) groups.set(name, i);
    } else if (kind === 'User' || (kind === 'ServiceAccount' && home !== '')) {
      const user = kind === 'User' ? name : `${serviceAccountPrefix}${home}:${name}`;
      if (!users.has(user)) users.set(user, i);
    }
  }
  const made = { users, groups };
  indexes.set(binding, made);
  return made;
}

function lookedUpSubject(user: UserInfo, isInGroup: IsInGroup, binding: RoleBinding): Subject | undefined {
  const { users, groups } = indexOf(binding);
  let first = users.get(user.name) ?? Infinity;
  if (user.groups.length < groups.size) {
    for (const group of user.groups) first = Math.min(first, groups.get(group) ?? Infinity);
  } else {
    for (const [group, i] of groups) if (i < first && isInGroup(group)) first = i;
  }
  return binding.subjects[first];
}

/** The first subject of a binding that matches the user, or undefined. */
function matchingSubject(user: UserInfo, isInGroup: IsInGroup, binding: RoleBinding): Subject | undefined {
  if (binding.subjects.length > mostScanned) return lookedUpSubject(user, isInGroup, binding);
  return binding.subjects.find((subject) => {
    switch (subject.kind) {
      case 'User':
        return user.name === subject.name;
      case 'Group':
        return isInGroup(subject.name);
      case 'ServiceAccount': {
        const { namespace = '' } = subject;
        const home = namespace === '' ? binding.namespace : namespace;
        return home !== '' && user.name === `${serviceAccountPrefix}${home}:${subject.name}`;
      }
      default:
        return false;
    }
  });
}

/**
 * Visits the grants of a user: those of the whole cluster, then those of the namespace ('' = only those of the cluster). `visit` is called for
 * each until it returns false.
 */
export async function visitGrants(
  source: RoleSource,
  user: UserInfo,
  namespace: string,
  visit: (grant: Grant) => boolean,
): Promise<void> {
  const isInGroup = groupMembership(user);
  const visitAll = async (bindings: Iterable<RoleBinding>): Promise<boolean> => {
    for (const binding of bindings) {
      const subject = matchingSubject(user, isInGroup, binding);
      if (subject !== undefined && !visit(await grantOf(source, binding, subject))) return false;
    }
    return true;
  };
  if (!(await visitAll(await source.clusterRoleBindings()))) return;
  if (namespace !== '') await visitAll(await source.roleBindings(namespace));
}

async function grantOf(source: RoleSource, binding: RoleBinding, subject: Subject): Promise<Grant> {
  try {
    return { binding, subject, rules: await source.rulesOf(binding.roleRef, binding.namespace) };
  } catch (error) {
    return { binding, subject, rules: [], error: errorMessage(error) };
  }
}

/** All rules of the user in the namespace. */
export async function resolveRules(source: RoleSource, user: UserInfo, namespace: string): Promise<ResolvedRules> {
  const rules: PolicyRule[] = [];
  const errors: string[] = [];
  await visitGrants(source, user, namespace, (grant) => {
    for (const rule of grant.rules) rules.push(rule);
    if (grant.error !== undefined) errors.push(grant.error);
    return true;
  });
  return { rules, errors };
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
