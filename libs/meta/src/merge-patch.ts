import { deepClone } from './deep.ts';

type Plain = Record<string, unknown>;
const isPlain = (value: unknown): value is Plain =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Sets an own property, also one named `__proto__`. */
function setOwn(target: Plain, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else target[key] = value;
}

/**
 * Nulls of a value that replaces another have nothing to delete and vanish, also inside objects of lists; a null that
 * is itself an element of a list stays.
 */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((element) => (element === null ? null : withoutNulls(element)));
  if (!isPlain(value)) return value;
  const kept: Plain = {};
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (member !== null) setOwn(kept, key, withoutNulls(member));
  }
  return kept;
}

/**
 * Applies a JSON merge patch (RFC 7386) and answers the result; the arguments are left as they are.
 * Source: MergePatch of evanphx/json-patch, whose treatment of nulls inside lists is kept.
 */
export function applyMergePatch(document: unknown, patch: unknown): unknown {
  if (!isPlain(patch)) return deepClone(patch);
  if (!isPlain(document)) return withoutNulls(patch);
  const result: Plain = { ...document };
  for (const key of Object.keys(patch)) {
    const value = patch[key];
    if (value === null) {
      delete result[key];
      continue;
    }
    const current = Object.hasOwn(result, key) ? result[key] : undefined;
    setOwn(result, key, isPlain(current) ? applyMergePatch(current, value) : withoutNulls(value));
  }
  return result;
}
