import { goQuote } from '@apichain/meta';

/** A duration text that Go's time.ParseDuration refuses; the message is Go's. */
export class GoDurationError extends Error {
  override readonly name = 'GoDurationError';
}

const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  '\u00b5s': 1_000n,
  '\u03bcs': 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const limit = 1n << 63n;

/** Nanoseconds of a text such as `1h30m`, `-1.5s` or `0`. Throws GoDurationError. https://pkg.go.dev/time#ParseDuration */
export function parseGoDuration(text: string): bigint {
  const invalid = (): never => {
    throw new GoDurationError(`time: invalid duration ${goQuote(text)}`);
  };
  const negative = text.startsWith('-');
  let rest = negative || text.startsWith('+') ? text.slice(1) : text;
  if (rest === '0') return 0n;
  if (rest === '') return invalid();
  let total = 0n;
  while (rest !== '') {
    const number = /^(\d*)(?:\.(\d*))?/.exec(rest);
    const whole = number?.[1] ?? '';
    const fraction = number?.[2] ?? '';
    if (number === null || (whole === '' && fraction === '')) return invalid();
    rest = rest.slice(number[0].length);
    const unit = /^[^.\d]*/.exec(rest)?.[0] ?? '';
    if (unit === '') throw new GoDurationError(`time: missing unit in duration ${goQuote(text)}`);
    const scale = units[unit];
    if (scale === undefined) {
      throw new GoDurationError(`time: unknown unit ${goQuote(unit)} in duration ${goQuote(text)}`);
    }
    rest = rest.slice(unit.length);
    total += BigInt(whole === '' ? '0' : whole) * scale;
    if (fraction !== '') total += (BigInt(fraction) * scale) / 10n ** BigInt(fraction.length);
    if (total > limit) return invalid();
  }
  if (!negative && total === limit) return invalid();
  return negative ? -total : total;
}

const trimFraction = (value: bigint, scale: bigint): string => {
  const whole = value / scale;
  const digits = (value % scale)
    .toString()
    .padStart(scale.toString().length - 1, '0')
    .replace(/0+$/, '');
  return digits === '' ? whole.toString() : `${whole.toString()}.${digits}`;
};

/** A duration the way Go prints it: `1h0m0s`, `1.5s`, `250ms`, `0s`. https://pkg.go.dev/time#Duration.String */
export function formatGoDuration(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return '0s';
  const sign = nanoseconds < 0n ? '-' : '';
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  if (size < 1_000n) return `${sign}${size.toString()}ns`;
  if (size < 1_000_000n) return `${sign}${trimFraction(size, 1_000n)}\u00b5s`;
  if (size < 1_000_000_000n) return `${sign}${trimFraction(size, 1_000_000n)}ms`;
  const minutes = size / 60_000_000_000n;
  const seconds = `${trimFraction(size % 60_000_000_000n, 1_000_000_000n)}s`;
  if (minutes === 0n) return `${sign}${seconds}`;
  const hours = minutes / 60n;
  if (hours === 0n) return `${sign}${minutes.toString()}m${seconds}`;
  return `${sign}${hours.toString()}h${(minutes % 60n).toString()}m${seconds}`;
}
