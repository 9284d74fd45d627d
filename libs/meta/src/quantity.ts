import { digitsFrom } from '@apichain/go-text';
import { binarySuffix, decimalSuffix, interpretSuffix, type QuantityFormat } from './quantity-suffix.ts';

export type { QuantityFormat };

/** Text that is no quantity; the message is what the API server answers with. */
export class QuantityError extends Error {
  override readonly name = 'QuantityError';
}

const wrongFormat = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const wrongSuffix = "unable to parse quantity's suffix";
const wrongNumber = 'unable to parse numeric part of quantity';

const smallestExponent = -9;
const maxInt64 = (1n << 63n) - 1n;
const isInt64 = (value: bigint) => BigInt.asIntN(64, value) === value;
/** More digits than any amount has. Computing with them costs time that grows faster than their number. */
const maxDigits = 1000;
/**
 * Amounts whose exponents are this far apart are never brought to the same one: the smaller is lost beside the larger. Sums of others have
 * no more digits than the two bounds together.
 */
const maxSpread = 2000;
/** Beyond this, powers of ten are compared by their size instead of being computed. */
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

/** Of an amount of 64 bits. */
function removeKibis(value: bigint): { value: bigint; times: number } {
  let times = 0;
  let rest = value;
  while (rest !== 0n && rest % 1024n === 0n) {
    rest /= 1024n;
    times++;
  }
  return { value: rest, times };
}

/** By the digits, which are made at once: a division for each zero would cost the square of their number. */
function removeTens(value: bigint): { value: bigint; times: number } {
  if (value % 10n !== 0n) return { value, times: 0 };
  const digits = value.toString();
  let end = digits.length;
  while (digits.charCodeAt(end - 1) === 48) end--;
  return { value: BigInt(digits.slice(0, end)), times: digits.length - end };
}

interface Parts {
  readonly negative: boolean;
  /** Digits before the point without leading zeros, at least one. */
  readonly whole: string;
  readonly fraction: string;
  /** Sign, digits and point as written. */
  readonly number: string;
  readonly suffix: string;
}

const signAt = (text: string, at: number) => text[at] === '+' || text[at] === '-';
const suffixLetters = /[eEinumkKMGTP]*/y;

/** Where the suffix that begins at `start` ends. */
function suffixEnd(text: string, start: number): number {
  suffixLetters.lastIndex = start;
  const letters = start + (suffixLetters.exec(text)?.[0].length ?? 0);
  return digitsFrom(text, signAt(text, letters) ? letters + 1 : letters);
}

/** Takes a text apart in one pass: an expression for it, with digits in three places, would try every way to divide them. */
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

/** Powers of ten that Go multiplies by at once, without a look at what overflows. */
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
  /** Whether Go holds it in 64 bits; if not, asInt64 has no answer even for whole numbers. */
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

  /** The value in units of ten to the `exponent`, rounded away from zero. What is beyond any amount is cut. */
  scaledValue(exponent: number): bigint {
    const difference = this.exponent - exponent;
    if (difference >= 0) return this.unscaled * powerOfTen(Math.min(difference, computableExponent));
    const digits = this.unscaled.toString().length;
    return -difference > digits ? BigInt(this.sign) : divideUp(this.unscaled, powerOfTen(-difference));
  }
  /** Whole units, rounded away from zero: `1500m` is 2. In 64 bits. */
  value(): bigint {
    return this.#inInt64(0);
  }
  /** Thousandths, rounded away from zero. In 64 bits. */
  milliValue(): bigint {
    return this.#inInt64(-3);
  }
  /**
   * In the 64 bits that Go has for it: what is too large wraps around, or is zero where Go multiplies step by step and sees it
   * (AsScaledInt64 of k8s.io/apimachinery/pkg/api/resource).
   */
  #inInt64(scale: number): bigint {
    // That power of ten has no bit left within 64.
    if (this.exponent - scale >= 64) return 0n;
    const value = this.scaledValue(scale);
    if (isInt64(value)) return value;
    return this.#small && !wrappingScales.has(this.exponent - scale) ? 0n : BigInt.asIntN(64, value);
  }
  /** The value when it is written as a whole number that Go holds in 64 bits, else undefined. */
  asInt64(): bigint | undefined {
    if (!this.#small || this.exponent < 0 || this.exponent > 18) return undefined;
    const value = this.unscaled * powerOfTen(this.exponent);
    return isInt64(value) ? value : undefined;
  }
  /** The nearest float, possibly infinite. */
  asApproximateFloat(): number {
    return this.exponent === 0 ? Number(this.unscaled) : Number(this.unscaled) * 10 ** this.exponent;
  }

  /** -1, 0 or 1 as this is less than, equal to or greater than the other; formats do not matter. */
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
  /** The sum, in this one's format unless this is zero. */
  add(other: Quantity): Quantity {
    if (this.#isFarFrom(other)) return this.exponent > other.exponent ? this : other.#as(this.format);
    const [left, right] = this.#aligned(other);
    return this.#combined(other, left + right);
  }
  /** The difference, in this one's format unless this is zero. */
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

  /** The canonical text; a text that was parsed and is as good as canonical comes back as it was (`1500m`). */
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
    // Small and fractional amounts have no binary suffix that fits.
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

/** Digits that Go keeps in 64 bits; more, and the number becomes arbitrary precision. Negative: never in 64 bits. */
function spareDigits(parts: Parts, exponent: number, format: QuantityFormat): number {
  if (format !== 'BinarySI') return 18 - parts.whole.length - parts.fraction.length;
  return parts.fraction === '' ? 15 - parts.whole.length - Math.floor((exponent * 3) / 10) - 1 : -1;
}

/** The 64-bit form, or undefined when the number needs the general one. */
function parseSmall(text: string, parts: Parts, exponent: number, format: QuantityFormat): Quantity | undefined {
  if (spareDigits(parts, exponent, format) < 0) return undefined;
  const scale = (format === 'BinarySI' ? 0 : exponent) - parts.fraction.length;
  if (scale < smallestExponent) return undefined;
  const digits = parts.whole + parts.fraction;
  const value = BigInt(digits);
  const amount = format === 'BinarySI' ? value << BigInt(exponent) : value;
  if (!isInt64(amount)) return undefined;
  // Kubernetes keeps a text that looks canonical without proving that it is.
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
  // Nothing below one has a binary suffix.
  const belowOne = format === 'BinarySI' && amount.compare(new Quantity(1n, 0, format)) < 0 && !amount.isZero;
  const sign = parts.negative ? -1n : 1n;
  return new Quantity(sign * amount.unscaled, amount.exponent, belowOne ? 'DecimalSI' : format, false);
}

/** The same few amounts stand in every container, and are read a dozen times for each. */
const known = new Map<string, Quantity>();
const maxKnown = 1_024;
const maxKnownLength = 32;

/**
 * Reads a quantity. More than nine decimals round up, binary amounts beyond 2^63-1 are cut to it. Throws QuantityError.
 * Source: k8s.io/apimachinery/pkg/api/resource ParseQuantity.
 */
export function parseQuantity(text: string): Quantity {
  const parsed = known.get(text);
  if (parsed !== undefined) return parsed;
  const quantity = parseNew(text);
  if (text.length > maxKnownLength) return quantity;
  if (known.size >= maxKnown) known.clear();
  known.set(text, quantity);
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

/** The text without blanks around it. What JSON escapes is no blank: the text is read as it is written there. */
export function trimQuantity(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && blank.test(text.charAt(start))) start++;
  while (end > start && blank.test(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

/** A quantity as it stands in JSON: text (blanks around it are dropped), a bare number, or null for zero. Throws QuantityError. */
export function quantityFromJson(value: unknown): Quantity {
  if (value === null) return new Quantity(0n, 0, 'DecimalSI');
  if (typeof value === 'string') return parseQuantity(trimQuantity(value));
  if (typeof value === 'number' || typeof value === 'bigint') return parseQuantity(String(value));
  throw new QuantityError(wrongFormat);
}
