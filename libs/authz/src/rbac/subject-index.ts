import { type UserInfo, serviceAccountPrefix } from '@apichain/authn';
import type { IsInGroup } from '../group-membership.ts';
import type { Subject } from './policy-rule.ts';

/** The subjects of a binding that has many, by the names that requests have. It takes about the memory of the binding's JSON. */
export class SubjectIndex {
  /** The position of each name in the binding. The first one counts when a name repeats. */
  readonly #users = new Map<string, number>();
  readonly #accounts = new Map<string, number>();
  readonly #groups = new Map<string, number>();

  /** `home`: the namespace of the binding. */
  constructor(subjects: readonly Subject[], home: string) {
    for (const [i, subject] of subjects.entries()) {
      if (subject.kind === 'User') addFirst(this.#users, subject.name, i);
      else if (subject.kind === 'Group') addFirst(this.#groups, subject.name, i);
      else if (subject.kind === 'ServiceAccount') {
        const name = accountName(subject, home);
        if (name !== undefined) addFirst(this.#accounts, name, i);
      }
    }
  }

  /** The first subject that matches the user. */
  find({ name, groups }: UserInfo, isInGroup: IsInGroup): Subject | undefined {
    const user = this.#users.get(name) ?? Infinity;
    const account = this.#accounts.get(name) ?? Infinity;
    const [group, groupName] = this.#firstGroup(groups, isInGroup);
    const first = Math.min(user, account, group);
    if (first === Infinity) return undefined;
    if (first === user) return { kind: 'User', name };
    if (first === group) return { kind: 'Group', name: groupName };
    const [namespace = '', ...rest] = name.slice(serviceAccountPrefix.length).split(':');
    return { kind: 'ServiceAccount', namespace, name: rest.join(':') };
  }

  #firstGroup(groups: readonly string[], isInGroup: IsInGroup): readonly [position: number, name: string] {
    let first: readonly [number, string] = [Infinity, ''];
    if (groups.length < this.#groups.size) {
      for (const group of groups) {
        const at = this.#groups.get(group) ?? Infinity;
        if (at < first[0]) first = [at, group];
      }
    } else {
      for (const [group, at] of this.#groups) if (at < first[0] && isInGroup(group)) first = [at, group];
    }
    return first;
  }
}

function addFirst(positions: Map<string, number>, name: string, position: number): void {
  if (!positions.has(name)) positions.set(name, position);
}

/** The first subject of a list that matches the user. */
export function matchingSubject(
  subjects: readonly Subject[],
  home: string,
  user: UserInfo,
  isInGroup: IsInGroup,
): Subject | undefined {
  return subjects.find((subject) => {
    switch (subject.kind) {
      case 'User':
        return user.name === subject.name;
      case 'Group':
        return isInGroup(subject.name);
      case 'ServiceAccount':
        return user.name === accountName(subject, home);
      default:
        return false;
    }
  });
}

/** The user name of a ServiceAccount; undefined when it has no namespace. */
function accountName({ name, namespace = '' }: Subject, home: string): string | undefined {
  const own = namespace === '' ? home : namespace;
  return own === '' ? undefined : `${serviceAccountPrefix}${own}:${name}`;
}
