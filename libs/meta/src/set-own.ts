/** Sets a member of that name, whatever it is: to assign `__proto__` would change the prototype instead. */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else target[key] = value;
}

/** A member that the object has itself; undefined for one that it inherits, such as `constructor`. */
export const own = (object: Readonly<Record<string, unknown>> | undefined, key: string): unknown =>
  object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
