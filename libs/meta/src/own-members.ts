/** Sets a member of any name. A plain assignment of `__proto__` would change the prototype. */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else target[key] = value;
}

/** An own member of the object; undefined for an inherited one, such as `constructor`. */
export const own = (object: Readonly<Record<string, unknown>> | undefined, key: string): unknown =>
  object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;

/**
 * A table that is looked up by texts from clients. It has no inherited members: a plain object also has `constructor`, `toString` and
 * `__proto__`.
 */
export const lookupTable = <Value>(members: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> =>
  Object.assign(Object.create(null) as Record<string, Value>, members);
