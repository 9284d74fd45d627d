import { goQuote } from './go-quote.ts';

/** Text that is no Go duration; the message is that of time.ParseDuration. */
export class DurationError extends Error {
  override readonly name = 'DurationError';
}

const nanosecond = 1n;
const microsecond = 1000n;
const millisecond = 1_000_000n;
const second = 1_000_000_000n;
const minute = 60n * second;
const hour = 60n * minute;
const units: ReadonlyMap<string, bigint> = new Map([
  ['ns', nanosecond],
  ['us', microsecond],
  ['\u00b5s', microsecond],
  ['\u03bcs', microsecond],
  ['ms', millisecond],
  ['s', second],
  ['m', minute],
  ['h', hour],
]);
const largest = (1n << 63n) - 1n;

/** Nanoseconds in one `number unit` piece; digits beyond a nanosecond are cut off. */
function pieceNanoseconds(whole: string, fraction: string, unit: bigint): bigint {
  return (
    BigInt(whole === '' ? '0' : whole) * unit +
    (BigInt(fraction === '' ? '0' : fraction) * unit) / 10n ** BigInt(fraction.length)
  );
}

/**
 * Nanoseconds of a Go duration such as `1h30m`, `-1.5s` or `0`. Throws DurationError.
 * Source: https://pkg.go.dev/time#ParseDuration
 */
export function parseDuration(text: string): bigint {
  const invalid = () => new DurationError(`time: invalid duration ${goQuote(text)}`);
  const negative = text.startsWith('-');
  let rest = negative || text.startsWith('+') ? text.slice(1) : text;
  if (rest === '0') return 0n;
  if (rest === '') throw invalid();
  let total = 0n;
  while (rest !== '') {
    const number = /^([0-9]*)(?:\.([0-9]*))?/.exec(rest);
    const whole = number?.[1] ?? '';
    const fraction = number?.[2] ?? '';
    if (whole === '' && fraction === '') throw invalid();
    rest = rest.slice(number?.[0].length ?? 0);
    const name = /^[^0-9.]*/.exec(rest)?.[0] ?? '';
    if (name === '') throw new DurationError(`time: missing unit in duration ${goQuote(text)}`);
    const unit = units.get(name);
    if (unit === undefined) {
      throw new DurationError(`time: unknown unit ${goQuote(name)} in duration ${goQuote(text)}`);
    }
    rest = rest.slice(name.length);
    total += pieceNanoseconds(whole, fraction, unit);
    if (total > largest + (negative ? 1n : 0n)) throw invalid();
  }
  return negative ? -total : total;
}

function withFraction(amount: bigint, unit: bigint): string {
  const fraction = (amount % unit)
    .toString()
    .padStart(unit.toString().length - 1, '0')
    .replace(/0+$/, '');
  return `${amount / unit}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Nanoseconds as Go prints a duration: `1h30m0s`, `1.5s`, `2ms`, `0s`. Source: time.Duration.String. */
export function formatDuration(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return '0s';
  const sign = nanoseconds < 0n ? '-' : '';
  const amount = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  if (amount < microsecond) return `${sign}${amount}ns`;
  if (amount < millisecond) return `${sign}${withFraction(amount, microsecond)}\u00b5s`;
  if (amount < second) return `${sign}${withFraction(amount, millisecond)}ms`;
  const hours = amount / hour;
  const minutes = (amount % hour) / minute;
  const prefix = hours > 0n ? `${hours}h${minutes}m` : minutes > 0n ? `${minutes}m` : '';
  return `${sign}${prefix}${withFraction(amount % minute, second)}s`;
}
