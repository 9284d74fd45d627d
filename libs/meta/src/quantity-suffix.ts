/** The notation of a quantity: `12e6`, `12M` or `12Mi`. */
export type QuantityFormat = 'DecimalExponent' | 'DecimalSI' | 'BinarySI';

export interface Suffix {
  readonly base: 2 | 10;
  readonly exponent: number;
  readonly format: QuantityFormat;
}

const decimal: readonly (readonly [string, number])[] = [
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
];
const binary: readonly (readonly [string, number])[] = [
  ['Ki', 10],
  ['Mi', 20],
  ['Gi', 30],
  ['Ti', 40],
  ['Pi', 50],
  ['Ei', 60],
];

const decimalExponents = new Map(decimal);
const binaryExponents = new Map(binary);
const decimalSuffixes = new Map(decimal.map(([suffix, exponent]) => [exponent, suffix]));
const binarySuffixes = new Map(binary.map(([suffix, exponent]) => [exponent, suffix]));

const longestInt64 = 19;

/** The meaning of a suffix, undefined for an unknown suffix. */
export function interpretSuffix(suffix: string): Suffix | undefined {
  const ten = decimalExponents.get(suffix);
  if (ten !== undefined) return { base: 10, exponent: ten, format: 'DecimalSI' };
  const two = binaryExponents.get(suffix);
  if (two !== undefined) return { base: 2, exponent: two, format: 'BinarySI' };
  const [, sign = '', written] = /^[eE]([+-]?)([0-9]+)$/.exec(suffix) ?? [];
  const digits = written?.replace(/^0+(?=[0-9])/, '');
  if (digits === undefined || digits.length > longestInt64) return undefined;
  const exponent = BigInt(digits) * (sign === '-' ? -1n : 1n);
  if (BigInt.asIntN(64, exponent) !== exponent) return undefined;
  return { base: 10, exponent: Number(BigInt.asIntN(32, exponent)), format: 'DecimalExponent' };
}

/** The suffix of a decimal exponent. The SI format has no suffix beyond `E`, where Kubernetes writes none. */
export function decimalSuffix(exponent: number, format: 'DecimalExponent' | 'DecimalSI'): string {
  if (format === 'DecimalSI') return decimalSuffixes.get(exponent) ?? '';
  return exponent === 0 ? '' : `e${exponent}`;
}

export const binarySuffix = (exponent: number): string => binarySuffixes.get(exponent) ?? '';
