import { copyFacts, type List } from './document-facts.ts';
import { isContainer, isList } from './is-record.ts';
import { inNestedSteps, NestedSteps } from './nested-steps.ts';
import { setOwn } from './set-own.ts';
import type { Work } from './turns.ts';

type Plain = Record<string, unknown>;

/** A copy that shares nothing mutable with the original: plain objects and arrays of JSON values, bigint included, with the facts of their containers. */
export function deepClone<T>(value: T): T;
export function deepClone(value: unknown): unknown {
  return clone(value, undefined);
}

/** deepClone in steps. */
export function deepCloning<T>(value: T): Work<T>;
export function deepCloning(value: unknown): Work<unknown> {
  const steps = new NestedSteps();
  return inNestedSteps(steps, () => clone(value, steps));
}

function clone(value: unknown, steps: NestedSteps | undefined): unknown {
  if (!isContainer(value)) return value;
  if (isList(value)) {
    const copy: List = [];
    cloneElements(value, copy, steps);
    return copyFacts(copy, value);
  }
  const copy: Plain = {};
  cloneMembers(value, Object.keys(value), copy, 0, steps);
  return copyFacts(copy, value);
}

function cloneElements(list: readonly unknown[], copy: unknown[], steps: NestedSteps | undefined): void {
  const from = copy.length;
  for (let i = from; i < list.length; i++) {
    if (steps !== undefined && i > from && steps.isStepDone()) return steps.suspend(cloneElements, list, copy, steps);
    copy.push(clone(list[i], steps));
  }
}

function cloneMembers(
  object: Plain,
  keys: readonly string[],
  copy: Plain,
  from: number,
  steps: NestedSteps | undefined,
): void {
  for (let i = from; i < keys.length; i++) {
    if (steps !== undefined && i > from && steps.isStepDone())
      return steps.suspend(cloneMembers, object, keys, copy, i, steps);
    const key = keys[i] ?? '';
    setOwn(copy, key, clone(object[key], steps));
  }
}

/** Members that are undefined count as absent. */
const definedMembers = (object: Plain) => Object.entries(object).filter(([, member]) => member !== undefined);

/**
 * Whether two JSON values are equal. The order of keys does not matter, `1n` equals `1`, `-0` equals `0`, and an undefined member equals an
 * absent member. The order of list items matters.
 */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (!isContainer(a) || !isContainer(b)) {
    if (typeof a === 'bigint' && typeof b === 'number') return Number.isInteger(b) && a === BigInt(b);
    if (typeof a === 'number' && typeof b === 'bigint') return deepEqual(b, a);
    return false;
  }
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((x, i) => deepEqual(x, b[i]));
  }
  return equalMembers(a, b);
}

function equalMembers(a: Plain, b: Plain): boolean {
  let members = 0;
  for (const key of Object.keys(a)) {
    const member = a[key];
    if (member === undefined) continue;
    members++;
    if (!Object.hasOwn(b, key) || b[key] === undefined || !deepEqual(member, b[key])) return false;
  }
  let others = 0;
  for (const key of Object.keys(b)) if (b[key] !== undefined) others++;
  return members === others;
}

/**
 * A text that is the same for two JSON values only if they are `deepEqual`. It serves as a lookup key: comparing each item of one list with
 * each item of another is quadratic.
 */
export function equalityText(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number')
    return !Number.isInteger(value) || Number.isSafeInteger(value) ? `${value}` : BigInt(value).toString();
  if (!isContainer(value)) return String(value);
  if (Array.isArray(value)) return `[${value.map(equalityText).join(',')}]`;
  const members = definedMembers(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${equalityText(member)}`).join(',')}}`;
}
