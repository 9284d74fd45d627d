/*
 * Members of typed objects, where an absent member, null and the zero value of Go are the same.
 */

/** Whether a member is there: neither absent nor null. */
export const isSet = <T>(value: T): value is NonNullable<T> => value !== undefined && value !== null;

/** An integer of 64 bits as a number; one beyond 2^53 becomes the nearest number, an absent one 0. */
export const integer = (value: number | bigint | null | undefined): number => Number(value ?? 0);

/** Sets the member, or removes it when the value is undefined. */
export function assign<T extends object, Name extends keyof T>(
  parent: T,
  name: Name,
  value: T[Name] | undefined,
): void {
  if (value === undefined) delete parent[name];
  else parent[name] = value;
}

/** The condition of that type in a list of conditions; the first, if there are several. */
export const findCondition = <Condition extends { readonly type?: string }>(
  conditions: readonly Condition[] | null | undefined,
  type: string,
): Condition | undefined => conditions?.find((condition) => condition.type === type);
