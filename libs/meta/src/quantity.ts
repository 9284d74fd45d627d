import { digitsFrom } from '@apichain/go-text';
import { binarySuffix, decimalSuffix, interpretSuffix, type QuantityFormat } from './quantity-suffix.ts';
import { ownText } from './own-memory.ts';

export type { QuantityFormat };

/** A text that is not a quantity. The message is that of the API server's response. */
export class QuantityError extends Error {
  override readonly name = 'QuantityError';
}

const wrongFormat = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const wrongSuffix = "unable to parse quantity's suffix";
const wrongNumber = 'unable to parse numeric part of quantity';

const smallestExponent = -9;
const maxInt64 = (1n << 63n) - 1n;
const isInt64 = (value: bigint) => BigInt.asIntN(64, value) === value;
/** More digits than any real amount has. The time of computations grows faster than the number of digits. */
const maxDigits = 1000;
/**
 * Amounts whose exponents differ by more than this are never converted to the same exponent, because the smaller one is negligible. So sums
 * have at most as many digits as the two bounds together.
 */
const maxSpread = 2000;
/** Beyond this exponent, powers of ten are compared by their size and not computed. */
const computableExponent = maxDigits + 2 * maxSpread;
const smallPowersOfTen = Array.from({ length: 19 }, (_, exponent) => 10n ** BigInt(exponent));
const powerOfTen = (exponent: number) => smallPowersOfTen[exponent] ?? 10n ** BigInt(exponent);
const absolute = (value: bigint) => (value < 0n ? -value : value);

/** Division that rounds away from zero. */
function divideUp(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor;
  if (quotient * divisor === value) return quotient;
  return value < 0n ? quotient - 1n : quotient + 1n;
}

/** For an amount of 64 bits. */
function removeKibis(value: bigint): { value: bigint; times: number } {
  let times = 0;
  let rest = value;
  while (rest !== 0n && rest % 1024n === 0n) {
    rest /= 1024n;
    times++;
  }
  return { value: rest, times };
}

/** Removes trailing zeros by the digits as text: a division for each zero would take quadratic time. */
function removeTens(value: bigint): { value: bigint; times: number } {
  if (value % 10n !== 0n) return { value, times: 0 };
  const digits = value.toString();
  let end = digits.length;
  while (digits.charCodeAt(end - 1) === 48) end--;
  return { value: BigInt(digits.slice(0, end)), times: digits.length - end };
}

interface Parts {
  readonly negative: boolean;
  /** Digits before the decimal point without leading zeros, at least one. */
  readonly whole: string;
  readonly fraction: string;
  /** Sign, digits and decimal point as written. */
  readonly number: string;
  readonly suffix: string;
}

const signAt = (text: string, at: number) => text[at] === '+' || text[at] === '-';
const suffixLetters = /[eEinumkKMGTP]*/y;

/** The end of the suffix that begins at `start`. */
function suffixEnd(text: string, start: number): number {
  suffixLetters.lastIndex = start;
  const letters = start + (suffixLetters.exec(text)?.[0].length ?? 0);
  return digitsFrom(text, signAt(text, letters) ? letters + 1 : letters);
}

/** Splits a text in one pass. A regular expression with three groups of digits would try every way to divide them. */
function split(text: string): Parts {
  const start = signAt(text, 0) ? 1 : 0;
  let first = start;
  while (text.charCodeAt(first) === 48) first++;
  const point = digitsFrom(text, first);
  const end = text[point] === '.' ? digitsFrom(text, point + 1) : point;
  if (text === '' || suffixEnd(text, end) !== text.length) throw new QuantityError(wrongFormat);
  return {
    negative: text.startsWith('-'),
    whole: point === first ? '0' : text.slice(first, point),
    fraction: text.slice(point + 1, end),
    number: text.slice(0, end),
    suffix: text.slice(end),
  };
}

/** Powers of ten by which Go multiplies without a check for overflow. */
const wrappingScales: ReadonlySet<number> = new Set([0, 1, 2, 3, 6, 9]);

/**
 * A fixed-point number with the format it was written in, such as `500m`, `1.5Gi` or `12e6`. Exact, at most nine
 * decimals, immutable. https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
 */
export class Quantity {
  /** The value is `unscaled` times ten to the `exponent`. */
  readonly unscaled: bigint;
  readonly exponent: number;
  readonly format: QuantityFormat;
  /** Whether Go stores the amount in 64 bits. If not, asInt64 is undefined even for whole numbers. */
  readonly #small: boolean;
  #text: string | undefined;

  constructor(unscaled: bigint, exponent: number, format: QuantityFormat, small = isInt64(unscaled), text?: string) {
    this.unscaled = unscaled;
    this.exponent = exponent;
    this.format = format;
    this.#small = small;
    this.#text = text;
  }

  get sign(): -1 | 0 | 1 {
    return this.unscaled === 0n ? 0 : this.unscaled < 0n ? -1 : 1;
  }
  get isZero(): boolean {
    return this.unscaled === 0n;
  }

  /** The value in units of ten to the `exponent`, rounded away from zero. Limited for amounts beyond any real one. */
  scaledValue(exponent: number): bigint {
    const difference = this.exponent - exponent;
    if (difference >= 0) return this.unscaled * powerOfTen(Math.min(difference, computableExponent));
    const digits = this.unscaled.toString().length;
    return -difference > digits ? BigInt(this.sign) : divideUp(this.unscaled, powerOfTen(-difference));
  }
  /** Whole units as an int64, rounded away from zero: `1500m` is 2. */
  value(): bigint {
    return this.#inInt64(0);
  }
  /** Thousandths as an int64, rounded away from zero. */
  milliValue(): bigint {
    return this.#inInt64(-3);
  }
  /**
   * The value as an int64, as in Go. A value that is too large wraps around, or is zero where Go multiplies step by step and detects the
   * overflow (AsScaledInt64 of k8s.io/apimachinery/pkg/api/resource).
   */
  #inInt64(scale: number): bigint {
    // 10^64 is a multiple of 2^64, so the low 64 bits are zero.
    if (this.exponent - scale >= 64) return 0n;
    const value = this.scaledValue(scale);
    if (isInt64(value)) return value;
    return this.#small && !wrappingScales.has(this.exponent - scale) ? 0n : BigInt.asIntN(64, value);
  }
  /** The value, if it is written as a whole number and Go stores it in 64 bits, else undefined. */
  asInt64(): bigint | undefined {
    if (!this.#small || this.exponent < 0 || this.exponent > 18) return undefined;
    const value = this.unscaled * powerOfTen(this.exponent);
    return isInt64(value) ? value : undefined;
  }
  /** The nearest float, possibly infinite. */
  asApproximateFloat(): number {
    return this.exponent === 0 ? Number(this.unscaled) : Number(this.unscaled) * 10 ** this.exponent;
  }

  /** -1, 0 or 1 if this is less than, equal to or greater than the other. Formats do not matter. */
  compare(other: Quantity): -1 | 0 | 1 {
    if (this.sign !== other.sign) return this.sign < other.sign ? -1 : 1;
    const difference = this.exponent - other.exponent;
    if (Math.abs(difference) > computableExponent && this.sign !== 0) {
      return difference > 0 === this.sign > 0 ? 1 : -1;
    }
    const [left, right] = this.#aligned(other);
    return left === right ? 0 : left < right ? -1 : 1;
  }
  equals(other: Quantity): boolean {
    return this.compare(other) === 0;
  }
  /** The sum, in the format of this quantity unless it is zero. */
  add(other: Quantity): Quantity {
    if (this.#isFarFrom(other)) return this.exponent > other.exponent ? this : other.#as(this.format);
    const [left, right] = this.#aligned(other);
    return this.#combined(other, left + right);
  }
  /** The difference, in the format of this quantity unless it is zero. */
  sub(other: Quantity): Quantity {
    if (this.#isFarFrom(other)) return this.exponent > other.exponent ? this : other.neg().#as(this.format);
    const [left, right] = this.#aligned(other);
    return this.#combined(other, left - right);
  }
  neg(): Quantity {
    return new Quantity(-this.unscaled, this.exponent, this.format, this.#small);
  }

  #isFarFrom(other: Quantity): boolean {
    return !this.isZero && !other.isZero && Math.abs(this.exponent - other.exponent) > maxSpread;
  }
  #as(format: QuantityFormat): Quantity {
    return new Quantity(this.unscaled, this.exponent, format, this.#small);
  }
  #aligned(other: Quantity): [bigint, bigint] {
    if (this.unscaled === 0n) return [0n, other.unscaled];
    if (other.unscaled === 0n) return [this.unscaled, 0n];
    const exponent = Math.min(this.exponent, other.exponent);
    return [
      this.unscaled * powerOfTen(this.exponent - exponent),
      other.unscaled * powerOfTen(other.exponent - exponent),
    ];
  }
  #combined(other: Quantity, unscaled: bigint): Quantity {
    const exponent = this.isZero
      ? other.exponent
      : other.isZero
        ? this.exponent
        : Math.min(this.exponent, other.exponent);
    const small = this.#small && other.#small && isInt64(unscaled);
    return new Quantity(unscaled, exponent, this.isZero ? other.format : this.format, small);
  }

  /** The canonical text. A parsed text that is close enough to canonical is returned unchanged (`1500m`). */
  toString(): string {
    this.#text ??= this.#canonical();
    return this.#text;
  }
  toJSON(): string {
    return this.toString();
  }

  #canonical(): string {
    if (this.isZero) return '0';
    if (this.format !== 'BinarySI') return this.#decimal(this.format);
    const whole = this.scaledValue(0);
    const exact = this.exponent >= 0 || whole * powerOfTen(-this.exponent) === this.unscaled;
    // Small and fractional amounts have no suitable binary suffix.
    if (!exact || absolute(whole) < 1024n) return this.#decimal('DecimalSI');
    const { value, times } = removeKibis(whole);
    return `${value}${binarySuffix(times * 10)}`;
  }
  #decimal(format: 'DecimalExponent' | 'DecimalSI'): string {
    const { value, times } = removeTens(this.unscaled);
    const exponent = this.exponent + times;
    const excess = ((exponent % 3) + 3) % 3;
    return `${value * powerOfTen(excess)}${decimalSuffix(exponent - excess, format)}`;
  }
}

/** The number of digits that still fit in Go's 64-bit form. If negative, Go uses arbitrary precision. */
function spareDigits(parts: Parts, exponent: number, format: QuantityFormat): number {
  if (format !== 'BinarySI') return 18 - parts.whole.length - parts.fraction.length;
  return parts.fraction === '' ? 15 - parts.whole.length - Math.floor((exponent * 3) / 10) - 1 : -1;
}

/** The 64-bit form, or undefined if the number needs arbitrary precision. */
function parseSmall(text: string, parts: Parts, exponent: number, format: QuantityFormat): Quantity | undefined {
  if (spareDigits(parts, exponent, format) < 0) return undefined;
  const scale = (format === 'BinarySI' ? 0 : exponent) - parts.fraction.length;
  if (scale < smallestExponent) return undefined;
  const digits = parts.whole + parts.fraction;
  const value = BigInt(digits);
  const amount = format === 'BinarySI' ? value << BigInt(exponent) : value;
  if (!isInt64(amount)) return undefined;
  // Kubernetes keeps a text that looks canonical and does not check that it is.
  const keepsText =
    format === 'BinarySI' ? (value & 7n) !== 0n : scale % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0');
  return new Quantity(parts.negative ? -amount : amount, scale, format, true, keepsText ? text : undefined);
}

function parseLarge(parts: Parts, base: 2 | 10, exponent: number, format: QuantityFormat): Quantity {
  if (!/[0-9]/.test(parts.number) || parts.whole.length + parts.fraction.length > maxDigits)
    throw new QuantityError(wrongNumber);
  const digits = BigInt(parts.whole + parts.fraction);
  const unscaled = base === 2 ? digits << BigInt(exponent) : digits;
  const scale = (base === 2 ? 0 : exponent) - parts.fraction.length;
  let amount = new Quantity(unscaled, scale, format, false);
  if (scale < smallestExponent) {
    amount = new Quantity(amount.scaledValue(smallestExponent), smallestExponent, format, false);
  }
  const limit = new Quantity(maxInt64, 0, format, false);
  if (format === 'BinarySI' && amount.compare(limit) > 0) amount = limit;
  // Amounts below one have no binary suffix.
  const belowOne = format === 'BinarySI' && amount.compare(new Quantity(1n, 0, format)) < 0 && !amount.isZero;
  const sign = parts.negative ? -1n : 1n;
  return new Quantity(sign * amount.unscaled, amount.exponent, belowOne ? 'DecimalSI' : format, false);
}

/** Cached because most containers have the same few amounts, and each is parsed about a dozen times. */
const known = new Map<string, Quantity>();
const maxKnown = 1_024;
const maxKnownLength = 32;

/**
 * Reads a quantity. More than nine decimals are rounded up, binary amounts beyond 2^63-1 are set to 2^63-1. Throws QuantityError. Source:
 * k8s.io/apimachinery/pkg/api/resource ParseQuantity.
 */
export function parseQuantity(text: string): Quantity {
  const parsed = known.get(text);
  if (parsed !== undefined) return parsed;
  if (text.length > maxKnownLength) return parseNew(text);
  // The text may be a part of a whole request.
  const own = ownText(text);
  const quantity = parseNew(own);
  if (known.size >= maxKnown) known.clear();
  known.set(own, quantity);
  return quantity;
}

function parseNew(text: string): Quantity {
  if (text === '0') return new Quantity(0n, 0, 'DecimalSI', true, text);
  const parts = split(text);
  const suffix = interpretSuffix(parts.suffix);
  if (suffix === undefined) throw new QuantityError(wrongSuffix);
  const { base, exponent, format } = suffix;
  return parseSmall(text, parts, exponent, format) ?? parseLarge(parts, base, exponent, format);
}

/** A whole number as a quantity. */
export const newQuantity = (value: bigint | number, format: QuantityFormat = 'DecimalSI'): Quantity =>
  new Quantity(BigInt(value), 0, format);

const blank = /[^\S\t\n\v\f\r\ufeff]/;

/** The text without surrounding white space. JSON escapes are not resolved, so escaped characters are not white space. */
export function trimQuantity(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && blank.test(text.charAt(start))) start++;
  while (end > start && blank.test(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

/** A quantity in JSON: a text (surrounding white space is dropped), a bare number, or null for zero. Throws QuantityError. */
export function quantityFromJson(value: unknown): Quantity {
  if (value === null) return new Quantity(0n, 0, 'DecimalSI');
  if (typeof value === 'string') return parseQuantity(trimQuantity(value));
  if (typeof value === 'number' || typeof value === 'bigint') return parseQuantity(String(value));
  throw new QuantityError(wrongFormat);
}
