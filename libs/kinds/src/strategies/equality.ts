import { isRecord } from '../fields.ts';

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  if (!isRecord(value)) return false;
  for (const name in value) if (Object.hasOwn(value, name)) return false;
  return true;
}

/**
 * Whether two JSON values mean the same to the API: absent, null and empty collections are equal. Both sides are in decoded form,
 * where quantities and times are already canonical text. After apimachinery's equality.Semantic.DeepEqual.
 */
export function semanticEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (isEmpty(a) || isEmpty(b)) return isEmpty(a) && isEmpty(b);
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, i) => semanticEqual(item, b[i]));
  }
  if (!isRecord(a) || !isRecord(b)) return false;
  for (const name in a) if (!semanticEqual(a[name], own(b, name))) return false;
  for (const name in b) if (!Object.hasOwn(a, name) && !isEmpty(b[name])) return false;
  return true;
}

const own = (object: Record<string, unknown>, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : undefined;
