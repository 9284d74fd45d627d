/**
 * A table that is looked up by texts from clients. It has no inherited members: a plain object also has `constructor`, `toString` and
 * `__proto__`.
 */
export const lookupTable = <Value>(members: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> =>
  Object.assign(Object.create(null) as Record<string, Value>, members);
