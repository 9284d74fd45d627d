import type { UserInfo } from '@apichain/authn';

/** Up to this number, groups are searched one by one. */
const fewGroups = 32;

export type IsInGroup = (group: string) => boolean;

/** Returns a function that checks whether the user is in a group. It is fast for many calls and for users with many groups. */
export function groupMembership({ groups }: UserInfo): IsInGroup {
  if (groups.length <= fewGroups) return (group) => groups.includes(group);
  let all: ReadonlySet<string> | undefined;
  return (group) => (all ??= new Set(groups)).has(group);
}
