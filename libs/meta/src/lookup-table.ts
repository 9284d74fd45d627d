/**
 * A table that is looked up by texts of clients. It has its own members alone: a plain object would have a `constructor`, a `toString` and a
 * `__proto__` too, none of them what a table holds.
 */
export const lookupTable = <Value>(members: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> =>
  Object.assign(Object.create(null) as Record<string, Value>, members);
