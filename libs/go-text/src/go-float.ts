const maxInt64 = 2 ** 63;

/** A float64 as Go's `%v` prints it: the shortest digits that round-trip, with a two-digit exponent below 1e-4 and from 1e6. */
export function formatFloat(value: number): string {
  const size = Math.abs(value);
  const text = value !== 0 && (size < 1e-4 || size >= 1e6) ? value.toExponential() : String(value);
  return text.replace(/e([+-])(\d)$/, 'e$10$2');
}

/** A JSON number as Go's `%v` prints it: a whole number in range is an int64, any other a float64. */
export const formatNumber = (value: number): string =>
  Number.isInteger(value) && value >= -maxInt64 && value < maxInt64 ? BigInt(value).toString() : formatFloat(value);
