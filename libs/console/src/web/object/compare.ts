/** A list whose items are known by their names. */
export type Named = readonly { readonly name: string }[];

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A member that is a text; undefined when there is none. */
export function memberOf(value: unknown, name: string): string | undefined {
  const member = isRecord(value) ? value[name] : undefined;
  return typeof member === 'string' ? member : undefined;
}

/** Whether all items of a list are known by different texts of this member. */
export function hasKeys(value: unknown, name: string): value is readonly Readonly<Record<string, unknown>>[] {
  if (!Array.isArray(value)) return false;
  const keys = value.map((item) => memberOf(item, name));
  return keys.every((key) => key !== undefined) && new Set(keys).size === keys.length;
}

export const isNamed = (value: unknown): value is Named => hasKeys(value, 'name');

/** Compares values by their content; the order of fields does not matter. */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, at) => isSame(item, b[at]));
  if (!isRecord(a) || !isRecord(b)) return a instanceof Date && b instanceof Date && a.getTime() === b.getTime();
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => key in b && isSame(a[key], b[key]));
}
