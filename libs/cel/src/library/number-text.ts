/** A double as Go's `%g` prints it at full precision. */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (Object.is(value, -0)) return '-0';
  const exponent = value === 0 ? 0 : Math.floor(Math.log10(Math.abs(value)));
  const text = exponent < -4 || exponent >= 21 ? value.toExponential() : String(value);
  return text.replace(/e([+-])(\d)$/, 'e$10$2');
}

/** A duration as seconds, the way CEL spells it. */
export function durationText(ns: bigint): string {
  return `${formatDouble(Number(ns) / 1e9)}s`;
}
