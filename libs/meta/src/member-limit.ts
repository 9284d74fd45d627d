import { newRequestEntityTooLarge, type StatusError } from './status.ts';

/**
 * The most members that a document from a client may have: members of objects and items of lists, at all depths, counted together. The code
 * that decodes, checks and changes a document is plain functions, so this bounds how long each of them holds the thread. A bound on bytes is
 * not enough, because a member may take only two bytes. etcd stores at most 1.5 MiB per object, and objects in practice have far fewer members.
 */
export const maxMembers = 100_000;

/** The error for a document with more members: 413 RequestEntityTooLarge. */
export const newTooManyMembers = (what = 'a document', most = maxMembers): StatusError =>
  newRequestEntityTooLarge(
    `${what} may have at most ${most} members of objects and items of lists, counted at all depths`,
  );

/** An object with at most this many members is counted without a list of open containers. */
const fewMembers = 512;

/** `left` minus the number of members in the value. Counting stops as soon as the result is negative. */
function lessMembers(value: object, left: number): number {
  let rest = left;
  if (Array.isArray(value)) {
    rest -= value.length;
    for (let i = 0; i < value.length && rest >= 0; i++) rest = lessMember(value[i], rest);
    return rest;
  }
  const members = value as Record<string, unknown>;
  for (const name in members) {
    rest = lessMember(members[name], rest - 1);
    if (rest < 0) break;
  }
  return rest;
}

const lessMember = (member: unknown, left: number): number =>
  typeof member === 'object' && member !== null ? lessMembers(member, left) : left;

/** Whether a value has at most `most` members. Counting stops when there are more. */
export const hasAtMost = (value: unknown, most: number): boolean => lessMember(value, most) >= 0;

/** The number of members of a value at all depths; counting ends soon after `most`. Undefined members count as absent. Not recursive. */
export function countMembers(value: unknown, most: number): number {
  let count = 0;
  const open: object[] = typeof value === 'object' && value !== null ? [value] : [];
  for (let container = open.pop(); container !== undefined && count <= most; container = open.pop()) {
    const members: readonly unknown[] = Array.isArray(container) ? container : Object.values(container);
    for (const member of members) {
      if (member === undefined) continue;
      if (++count > most) return count;
      if (typeof member === 'object' && member !== null) open.push(member);
    }
  }
  return count;
}

/**
 * Whether a changed document has more than `most` members. A document that exceeded the limit before the change may shrink: other programs
 * write to etcd too, and clients must be able to repair their objects.
 */
export function exceedsMembers(changed: unknown, before: unknown, most = maxMembers): boolean {
  if (hasAtMost(changed, fewMembers) || countMembers(changed, most) <= most) return false;
  const earlier = countMembers(before, Infinity);
  return countMembers(changed, earlier) > earlier;
}
