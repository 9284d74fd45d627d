/** Positions and values of the list elements that are equal to an earlier one, in order. */
export function repeats<T>(values: readonly T[]): readonly (readonly [position: number, value: T])[] {
  const seen = new Set<T>();
  const found: [number, T][] = [];
  for (const [i, value] of values.entries()) {
    if (seen.has(value)) found.push([i, value]);
    else seen.add(value);
  }
  return found;
}

/** The first object with each name, by `name`. */
export function firstByName<T extends { readonly name?: string }>(objects: readonly T[]): ReadonlyMap<unknown, T> {
  const found = new Map<unknown, T>();
  for (const object of objects) if (!found.has(object.name)) found.set(object.name, object);
  return found;
}
