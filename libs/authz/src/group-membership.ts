import type { UserInfo } from '@apichain/authn';

/** So few groups are looked through one by one. */
const fewGroups = 32;

export type IsInGroup = (group: string) => boolean;

/** Tells whether the user is in a group; to be asked often, about users with however many groups. */
export function groupMembership({ groups }: UserInfo): IsInGroup {
  if (groups.length <= fewGroups) return (group) => groups.includes(group);
  let all: ReadonlySet<string> | undefined;
  return (group) => (all ??= new Set(groups)).has(group);
}
