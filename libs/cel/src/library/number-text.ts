import { formatFloat } from '@apichain/go-text';

/** A double as Go's `%g` prints it at full precision. */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (Object.is(value, -0)) return '-0';
  return formatFloat(value);
}

/** A duration in seconds, as CEL prints it. */
export function durationText(ns: bigint): string {
  const size = ns < 0n ? -ns : ns;
  const fraction = (size % 1_000_000_000n)
    .toString()
    .padStart(9, '0')
    .replace(/(?<!0)0+$/, '');
  return `${ns < 0n ? '-' : ''}${size / 1_000_000_000n}${fraction === '' ? '' : `.${fraction}`}s`;
}

/** A finite double as Go's `%f` prints it: large numbers without an exponent, and zero with its sign. */
export function fixedText(value: number, precision: number): string {
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  const size = Math.abs(value);
  if (size < 1e21) return sign + size.toFixed(precision);
  return `${sign}${BigInt(size)}${precision > 0 ? `.${'0'.repeat(precision)}` : ''}`;
}
