import { isRecord } from './unstructured.ts';
import { own } from './own-members.ts';

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  if (!isRecord(value)) return false;
  for (const name in value) if (Object.hasOwn(value, name)) return false;
  return true;
}

const isNil = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0);

/** semanticEqual for members. An empty object counts as set here, because decoding has removed empty maps. */
function memberEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (isNil(a) || isNil(b)) return isNil(a) && isNil(b);
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, i) => memberEqual(item, b[i]));
  }
  if (!isRecord(a) || !isRecord(b)) return false;
  for (const name in a) if (!memberEqual(a[name], own(b, name))) return false;
  for (const name in b) if (!Object.hasOwn(a, name) && !isNil(b[name])) return false;
  return true;
}

/**
 * Whether two JSON values are equal to the API. Absent, null and empty collections are equal; an absent struct and a struct without set
 * fields are not. Both values must be decoded, so that quantities and times are canonical text. The values themselves may be maps.
 * After apimachinery's equality.Semantic.DeepEqual.
 */
export const semanticEqual = (a: unknown, b: unknown): boolean => memberEqual(a, b) || (isEmpty(a) && isEmpty(b));
