/* Functions for members of typed objects, where an absent member, null and Go's zero value are equivalent. */

/** Whether a member is set: neither absent nor null. */
export const isSet = <T>(value: T): value is NonNullable<T> => value !== undefined && value !== null;

/** A 64-bit integer as a number. One beyond 2^53 becomes the nearest number, an absent one 0. */
export const integer = (value: number | bigint | null | undefined): number => Number(value ?? 0);

/** An integer of 64 bits as documents have it: a bigint only where a number cannot hold it. */
export const int64 = (value: bigint): number | bigint => {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
};

/** Sets the member, or removes it when the value is undefined. */
export function assign<T extends object, Name extends keyof T>(
  parent: T,
  name: Name,
  value: T[Name] | undefined,
): void {
  if (value === undefined) delete parent[name];
  else parent[name] = value;
}

/** The first condition of the given type in a list of conditions. */
export const findCondition = <Condition extends { readonly type?: string }>(
  conditions: readonly Condition[] | null | undefined,
  type: string,
): Condition | undefined => conditions?.find((condition) => condition.type === type);

/** The first object with each name, by `name`. */
export function firstByName<T extends { readonly name?: string }>(objects: readonly T[]): ReadonlyMap<unknown, T> {
  const found = new Map<unknown, T>();
  for (const object of objects) if (!found.has(object.name)) found.set(object.name, object);
  return found;
}
