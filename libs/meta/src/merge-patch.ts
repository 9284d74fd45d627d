import { isRecord } from './unstructured.ts';
import { deepClone } from './deep.ts';
import { setOwn } from './own-members.ts';

type Plain = Record<string, unknown>;

/**
 * Removes the nulls from a value that replaces another, because they have nothing to delete; also inside objects of lists. A null that is
 * itself an element of a list is kept.
 */
function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const elements: unknown[] = [];
    for (const element of value) elements.push(withoutNulls(element));
    return elements;
  }
  if (!isRecord(value)) return value;
  const kept: Plain = {};
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (member !== null) setOwn(kept, key, withoutNulls(member));
  }
  return kept;
}

/**
 * Applies a JSON merge patch (RFC 7386) and returns the result; the arguments are not changed.
 * Source: MergePatch of evanphx/json-patch. Nulls inside lists are treated as there.
 */
export function applyMergePatch(document: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return deepClone(patch);
  if (!isRecord(document)) return withoutNulls(patch);
  const result: Plain = { ...document };
  for (const key of Object.keys(patch)) {
    const value = patch[key];
    if (value === null) {
      delete result[key];
      continue;
    }
    const current = Object.hasOwn(result, key) ? result[key] : undefined;
    setOwn(result, key, isRecord(current) ? applyMergePatch(current, value) : withoutNulls(value));
  }
  return result;
}
