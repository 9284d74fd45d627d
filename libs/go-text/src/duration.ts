import { digitsFrom, isDigit } from './digits.ts';
import { goQuote } from './go-quote.ts';

/** Thrown for text that is not a Go duration; the message is that of time.ParseDuration. */
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

/** The number of significant digits of a fraction. Go's integers have no room for more either. */
const maxFraction = 18;
/** The number of digits of the largest int64. */
const maxWhole = 19;

/** The maximum length of a duration, in characters. Go accepts any number of pieces, but a million would take half a second to parse. */
export const maxDurationLength = 1000;

/** Nanoseconds of one `number unit` piece; undefined if the number is too large. Digits below a nanosecond are cut off. */
function pieceNanoseconds(whole: string, fraction: string, unit: bigint): bigint | undefined {
  const significant = whole.replace(/^0+/, '');
  if (significant.length > maxWhole) return undefined;
  const part = fraction.slice(0, maxFraction);
  return (
    BigInt(significant === '' ? '0' : significant) * unit +
    (BigInt(part === '' ? '0' : part) * unit) / 10n ** BigInt(part.length)
  );
}

function unitFrom(text: string, start: number): number {
  let end = start;
  while (end < text.length && text[end] !== '.' && !isDigit(text.charCodeAt(end))) end++;
  return end;
}

/**
 * Nanoseconds of a Go duration such as `1h30m`, `-1.5s` or `0`. Throws DurationError, also for more than 1,000 characters.
 * Source: https://pkg.go.dev/time#ParseDuration
 */
export function parseDuration(text: string): bigint {
  const invalid = () => new DurationError(`time: invalid duration ${goQuote(text)}`);
  if (text.length > maxDurationLength) throw invalid();
  const negative = text.startsWith('-');
  let at = negative || text.startsWith('+') ? 1 : 0;
  if (text.length === at + 1 && text[at] === '0') return 0n;
  if (at === text.length) throw invalid();
  let total = 0n;
  while (at < text.length) {
    const point = digitsFrom(text, at);
    const end = text[point] === '.' ? digitsFrom(text, point + 1) : point;
    const whole = text.slice(at, point);
    const fraction = text.slice(point + 1, end);
    if (whole === '' && fraction === '') throw invalid();
    at = unitFrom(text, end);
    const name = text.slice(end, at);
    if (name === '') throw new DurationError(`time: missing unit in duration ${goQuote(text)}`);
    const unit = units.get(name);
    if (unit === undefined) {
      throw new DurationError(`time: unknown unit ${goQuote(name)} in duration ${goQuote(text)}`);
    }
    const piece = pieceNanoseconds(whole, fraction, unit);
    if (piece === undefined) throw invalid();
    total += piece;
    if (total > largest + (negative ? 1n : 0n)) throw invalid();
  }
  return negative ? -total : total;
}

/** Milliseconds of a Go duration, with a fraction if it is not whole. Throws DurationError. */
export const parseDurationMs = (text: string): number => Number(parseDuration(text)) / 1e6;

function withFraction(amount: bigint, unit: bigint): string {
  const fraction = (amount % unit)
    .toString()
    .padStart(unit.toString().length - 1, '0')
    .replace(/(?<!0)0+$/, '');
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

/**
 * A duration as kubectl shows ages: at most two units, with less precision for longer durations. `milliseconds` may be negative (clock skew).
 * After k8s.io/apimachinery/pkg/util/duration.HumanDuration.
 */
export function humanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.trunc(seconds / 60);
  if (minutes < 10) return withRest(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(minutes / 60);
  if (hours < 8) return withRest(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.trunc(hours / 24);
  if (hours < 192) return withRest(days, 'd', hours % 24, 'h');
  if (days < 365 * 2) return `${days}d`;
  const years = Math.trunc(days / 365);
  if (days < 365 * 8) return withRest(years, 'y', days % 365, 'd');
  return `${years}y`;
}

const withRest = (count: number, unit: string, rest: number, restUnit: string): string =>
  rest === 0 ? `${count}${unit}` : `${count}${unit}${rest}${restUnit}`;
