/** A quantity text that k8s.io/apimachinery/pkg/api/resource refuses; the message is the one clients see. */
export class QuantityError extends Error {
  override readonly name = 'QuantityError';
}

const formatWrong = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const suffixWrong = "unable to parse quantity's suffix";
const numericWrong = 'unable to parse numeric part of quantity';

type Format = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';
const decimalSuffixes = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const maxInt64 = (1n << 63n) - 1n;
const nanoScale = 9;
const nano = 10n ** 9n;
/** Exponents beyond it could only name amounts no cluster has, and would cost memory to compute with. */
const maxExponent = 1000;

interface ParsedQuantity {
  readonly negative: boolean;
  /** Digits before and after the point, leading zeros of the former removed. */
  readonly whole: string;
  readonly fraction: string;
  readonly format: Format;
  /** Of ten, or of two for BinarySI. */
  readonly exponent: number;
}

function parseSuffix(suffix: string): { format: Format; exponent: number } {
  const decimal = decimalSuffixes.indexOf(suffix);
  if (decimal >= 0) return { format: 'DecimalSI', exponent: (decimal - 3) * 3 };
  const binary = binarySuffixes.indexOf(suffix);
  if (binary > 0) return { format: 'BinarySI', exponent: binary * 10 };
  const scientific = /^[eE]([+-]?\d+)$/.exec(suffix);
  const exponent = Number(scientific?.[1] ?? NaN);
  if (!(Math.abs(exponent) <= maxExponent)) throw new QuantityError(suffixWrong);
  return { format: 'DecimalExponent', exponent };
}

function parse(text: string): ParsedQuantity {
  const match = /^([+-]?)0*(\d*)(?:\.(\d*))?([eEinumkKMGTP]*[-+]?\d*)$/.exec(text);
  if (text === '' || match === null) throw new QuantityError(formatWrong);
  const [, sign = '', whole = '', fraction = '', suffix = ''] = match;
  const interpreted = parseSuffix(suffix);
  if (!/\d/.test(text.slice(0, text.length - suffix.length))) throw new QuantityError(numericWrong);
  return { negative: sign === '-', whole, fraction, ...interpreted };
}

/** The amount in billionths, rounded away from zero: any resource asked for is more than none. */
function toNano(q: ParsedQuantity): bigint {
  let numerator = BigInt(`0${q.whole}${q.fraction}`) * nano;
  let denominator = 10n ** BigInt(q.fraction.length);
  if (q.format === 'BinarySI') numerator <<= BigInt(q.exponent);
  else if (q.exponent >= 0) numerator *= 10n ** BigInt(q.exponent);
  else denominator *= 10n ** BigInt(-q.exponent);
  let size = (numerator + denominator - 1n) / denominator;
  if (q.format === 'BinarySI' && size > maxInt64 * nano) size = maxInt64 * nano;
  return q.negative ? -size : size;
}

/** Divides by `base` while nothing is lost, at most `limit` times. */
function shrink(value: bigint, base: bigint, limit: number): { mantissa: bigint; steps: number } {
  let mantissa = value;
  let steps = 0;
  while (steps < limit && mantissa % base === 0n) {
    mantissa /= base;
    steps++;
  }
  return { mantissa, steps };
}

function canonical(amount: bigint, format: Format): string {
  if (amount === 0n) return '0';
  const size = amount < 0n ? -amount : amount;
  if (format === 'BinarySI' && size % nano === 0n && size >= 1024n * nano) {
    const { mantissa, steps } = shrink(amount / nano, 1024n, binarySuffixes.length - 1);
    return `${mantissa.toString()}${binarySuffixes[steps] ?? ''}`;
  }
  if (format === 'DecimalExponent') {
    const { mantissa, steps } = shrink(amount, 1000n, maxExponent);
    const exponent = steps * 3 - nanoScale;
    return `${mantissa.toString()}${exponent === 0 ? '' : `e${exponent}`}`;
  }
  const { mantissa, steps } = shrink(amount, 1000n, decimalSuffixes.length - 1);
  return `${mantissa.toString()}${decimalSuffixes[steps] ?? ''}`;
}

/** Whether the reader of the original keeps the text as written instead of its canonical form. */
function keepsText(q: ParsedQuantity): boolean {
  const digits = `${q.whole === '' ? '0' : q.whole}${q.fraction}`;
  if (q.format === 'BinarySI') {
    if (q.fraction !== '' || 14 - digits.length - Math.trunc(0.3 * q.exponent) < 0) return false;
    return BigInt(digits) % 8n !== 0n;
  }
  const exponent = q.exponent - q.fraction.length;
  if (exponent < -nanoScale || exponent % 3 !== 0) return false;
  return digits.length <= 18 && !digits.startsWith('0') && !digits.endsWith('000');
}

/**
 * A quantity text as the API server writes it back: in canonical form, or untouched where it keeps the client's spelling.
 * Throws QuantityError. https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
 */
export function normalizeQuantity(text: string): string {
  const q = parse(text);
  return keepsText(q) ? text : canonical(toNano(q), q.format);
}

/** As normalizeQuantity, with amounts finer than a thousandth rounded away from zero, as resource lists do. */
export function roundQuantityUpToMilli(text: string): string {
  const q = parse(text);
  if (keepsText(q) && (q.format === 'BinarySI' || q.exponent - q.fraction.length >= -3)) return text;
  const micro = 1_000_000n;
  const amount = toNano(q);
  const size = amount < 0n ? -amount : amount;
  const rounded = ((size + micro - 1n) / micro) * micro;
  return canonical(amount < 0n ? -rounded : rounded, q.format);
}
