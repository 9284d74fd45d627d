import { deepEqual, isRecord } from '@apichain/meta';

/**
 * The JSON merge patch that makes `after` of `before`; undefined = they are equal. Lists are replaced as a whole. A member whose new value is null is
 * the one change that a merge patch cannot express: it is removed. https://www.rfc-editor.org/rfc/rfc7396
 */
export function mergePatchOf(before: unknown, after: unknown): unknown {
  if (deepEqual(before, after)) return undefined;
  if (!isRecord(before) || !isRecord(after)) return after;
  const patch: [string, unknown][] = [];
  for (const name of Object.keys(before)) if (!Object.hasOwn(after, name)) patch.push([name, null]);
  for (const [name, value] of Object.entries(after)) {
    const change = mergePatchOf(before[name], value);
    if (change !== undefined) patch.push([name, change]);
  }
  return patch.length === 0 ? undefined : Object.fromEntries(patch);
}
