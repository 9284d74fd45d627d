import { isRecord } from './is-record.ts';
import { deepClone } from './deep.ts';
import { setOwn } from './set-own.ts';
import { finish, isStepDone, type Work } from './turns.ts';

type Plain = Record<string, unknown>;

/**
 * Removes the nulls from a value that replaces another, because they have nothing to delete; also inside objects of lists. A null that is
 * itself an element of a list is kept.
 */
function* withoutNulls(value: unknown): Work<unknown> {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const elements: unknown[] = [];
    for (const element of value) {
      if (isStepDone()) yield;
      elements.push(yield* withoutNulls(element));
    }
    return elements;
  }
  if (!isRecord(value)) return value;
  const kept: Plain = {};
  for (const key of Object.keys(value)) {
    if (isStepDone()) yield;
    const member = value[key];
    if (member !== null) setOwn(kept, key, yield* withoutNulls(member));
  }
  return kept;
}

/**
 * Applies a JSON merge patch (RFC 7386) and returns the result; the arguments are not changed.
 * Source: MergePatch of evanphx/json-patch. Nulls inside lists are treated as there.
 */
export const applyMergePatch = (document: unknown, patch: unknown): unknown => finish(mergePatching(document, patch));

/** `applyMergePatch` in steps. */
export function* mergePatching(document: unknown, patch: unknown): Work<unknown> {
  if (!isRecord(patch)) return deepClone(patch);
  if (!isRecord(document)) return yield* withoutNulls(patch);
  const result: Plain = { ...document };
  for (const key of Object.keys(patch)) {
    if (isStepDone()) yield;
    const value = patch[key];
    if (value === null) {
      delete result[key];
      continue;
    }
    const current = Object.hasOwn(result, key) ? result[key] : undefined;
    setOwn(result, key, isRecord(current) ? yield* mergePatching(current, value) : yield* withoutNulls(value));
  }
  return result;
}
