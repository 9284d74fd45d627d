import { newRequestEntityTooLarge, type StatusError } from './status.ts';
import { isStepDone, type Work } from './turns.ts';

/**
 * So many members a document from a client may have: members of objects and items of lists, at all depths, counted together. Some work
 * over a document cannot be cut into steps, such as to list or sort the keys of one object, and so the document itself must have a
 * bound. The bytes alone are none: two of them make a member. etcd takes 1.5 MiB of an object, and no object in use comes near.
 */
export const maxMembers = 100_000;

/** The refusal of a document that has more: 413 RequestEntityTooLarge. */
export const newTooManyMembers = (what = 'a document', most = maxMembers): StatusError =>
  newRequestEntityTooLarge(
    `${what} may have at most ${most} members of objects and items of lists, counted at all depths`,
  );

/** An object with no more members is counted at once, which costs a microsecond. */
const fewMembers = 512;

/** What is left of `left` when the members of a value are taken from it; negative, at once, when there are more. */
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

/** Whether a value has at most so many members, counted until there are more. For small numbers: it is one step. */
export const hasAtMost = (value: unknown, most: number): boolean => lessMember(value, most) >= 0;

/** How many members a value has at all depths; counting ends soon after `most`. Members that are undefined count as absent. In steps. */
export function* countingMembers(value: unknown, most: number): Work<number> {
  let count = 0;
  const open: object[] = typeof value === 'object' && value !== null ? [value] : [];
  for (let container = open.pop(); container !== undefined && count <= most; container = open.pop()) {
    const members: readonly unknown[] = Array.isArray(container) ? container : Object.values(container);
    for (const member of members) {
      if (isStepDone()) yield;
      if (member === undefined) continue;
      if (++count > most) return count;
      if (typeof member === 'object' && member !== null) open.push(member);
    }
  }
  return count;
}

/**
 * Whether what a change has made of a document has more members than `most`. What was larger before may shrink: other programs write to etcd
 * too, and an object must not become one that nobody can mend. In steps.
 */
export function* exceedingMembers(changed: unknown, before: unknown, most = maxMembers): Work<boolean> {
  if (hasAtMost(changed, fewMembers)) return false;
  const count = yield* countingMembers(changed, most);
  if (count <= most) return false;
  const earlier = yield* countingMembers(before, Infinity);
  return (yield* countingMembers(changed, earlier)) > earlier;
}
