import { deepClone } from './deep.ts';

type Plain = Record<string, unknown>;
const isPlain = (value: unknown): value is Plain =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Entries of an object rebuilt as one; safe for a key `__proto__`. */
const fromEntries = (entries: Iterable<readonly [string, unknown]>): Plain => Object.fromEntries(entries);

/**
 * Nulls of a value that replaces another have nothing to delete and vanish, also inside objects of lists; a null that
 * is itself an element of a list stays.
 */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((element) => (element === null ? null : withoutNulls(element)));
  if (!isPlain(value)) return value;
  return fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null)
      .map(([key, member]) => [key, withoutNulls(member)]),
  );
}

/**
 * Applies a JSON merge patch (RFC 7386) and answers the result; the arguments are left as they are.
 * Source: MergePatch of evanphx/json-patch, whose treatment of nulls inside lists is kept.
 */
export function applyMergePatch(document: unknown, patch: unknown): unknown {
  if (!isPlain(patch)) return deepClone(patch);
  if (!isPlain(document)) return withoutNulls(patch);
  const result = new Map<string, unknown>(Object.entries(document));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) result.delete(key);
    else {
      const current = result.get(key);
      const replaces = !isPlain(current);
      result.set(key, replaces ? withoutNulls(value) : applyMergePatch(current, value));
    }
  }
  return fromEntries(result);
}
