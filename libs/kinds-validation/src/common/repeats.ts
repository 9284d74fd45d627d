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
