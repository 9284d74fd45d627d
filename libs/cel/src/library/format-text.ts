import { isUtf8 } from 'node:buffer';
import { goQuoteWhole } from '@apichain/go-text';
import { compareText } from '@apichain/meta';
import { typeName } from '../overload.ts';
import { Duration, EvaluationError, ListValue, MapValue, Timestamp, TypeValue, Uint, type Value } from '../values.ts';
import { FormatClauseError, replaceClauses, wrongArgument, type Clause } from './format-clauses.ts';
import { durationText, fixedText, formatDouble } from './number-text.ts';
import { formatTimestamp } from './timestamps.ts';

/** The `format` function of strings. https://pkg.go.dev/github.com/google/cel-go/ext#readme-format. Throws EvaluationError. */
export function formatText(template: string, args: ListValue): string {
  try {
    return replaceClauses(template, args.size, (clause, i) => clauseText(clause, args.at(i)));
  } catch (error) {
    if (error instanceof FormatClauseError) throw new EvaluationError(error.message);
    throw error;
  }
}

function clauseText(clause: Clause, value: Value): string {
  const text = formats[clause.verb](value, clause.precision);
  if (text === undefined) throw wrongArgument(clause.verb, typeName(value));
  return text;
}

const number = (value: Value): bigint | undefined =>
  typeof value === 'bigint' ? value : value instanceof Uint ? value.value : undefined;

/** The texts of values by verb; undefined if the verb does not support the value's type. */
const formats: Readonly<Record<Clause['verb'], (value: Value, precision?: number) => string | undefined>> = {
  s: plainText,
  d: (value) => number(value)?.toString(),
  b: (value) => (typeof value === 'boolean' ? String(Number(value)) : number(value)?.toString(2)),
  o: (value) => number(value)?.toString(8),
  x: hexText,
  X: (value) => hexText(value)?.toUpperCase(),
  f: (value, precision = 6) => floatText(value, (n) => grouped(fixedText(n, precision))),
  e: (value) => floatText(value, scientific),
};

function utf8(value: Uint8Array): string {
  if (isUtf8(value)) return Buffer.from(value).toString();
  const problem = 'could not convert argument "invalid UTF-8 in bytes, cannot convert to string" to string';
  throw new FormatClauseError(`error during formatting: ${problem}`);
}

function hexText(value: Value): string | undefined {
  if (typeof value === 'string' || value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return number(value)?.toString(16);
}

const specialTexts: readonly Value[] = ['NaN', 'Infinity', '-Infinity'];
function floatText(value: Value, format: (n: number) => string): string | undefined {
  const n = specialTexts.includes(value) ? Number(value) : value;
  if (typeof n !== 'number') return undefined;
  if (Number.isNaN(n)) return 'NaN';
  return Number.isFinite(n) ? format(n) : n > 0 ? '∞' : '-∞';
}
/** Groups digits as in the locale en-US. */
const grouped = (text: string) =>
  text.replace(/^(-?)(\d+)/, (_whole, sign: string, digits: string) => {
    const first = digits.length % 3;
    const groups = digits.slice(first).match(/\d{3}/g) ?? [];
    return sign + (first === 0 ? groups : [digits.slice(0, first), ...groups]).join(',');
  });

const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹';
function scientific(n: number): string {
  const [mantissa = '', exponent = '0'] = n.toExponential(6).split('e');
  const size = String(Math.abs(Number(exponent))).padStart(2, '0');
  const raised = [...size].map((digit) => superscripts[Number(digit)] ?? '').join('');
  return `${mantissa}×10${exponent.startsWith('-') ? '⁻' : ''}${raised}`;
}

function plainText(value: Value): string | undefined {
  if (value === null) return 'null';
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return formatDouble(value);
  if (value instanceof Uint8Array) return utf8(value);
  if (value instanceof Timestamp) return formatTimestamp(value);
  if (value instanceof Duration) return durationText(value.ns);
  if (value instanceof TypeValue) return value.name;
  if (value instanceof ListValue) return `[${[...value].map(literalText).join(', ')}]`;
  if (value instanceof MapValue) return mapText(value);
  return number(value)?.toString();
}

function mapText(map: MapValue): string {
  const entries = map.keys().map((key): [string, string] => {
    if (typeof key === 'number')
      throw new FormatClauseError(`error during formatting: no formatting function for map key of type double`);
    return [literalText(key), literalText(map.get(key) ?? null)];
  });
  entries.sort(([a], [b]) => compareText(a, b));
  return `{${entries.map(([key, value]) => `${key}:${value}`).join(', ')}}`;
}

/** A value inside a list or a map, as a literal. */
function literalText(value: Value): string {
  if (typeof value === 'string') return goQuoteWhole(value);
  if (value instanceof Uint8Array) return `b${goQuoteWhole(utf8(value))}`;
  if (value instanceof Timestamp) return `timestamp("${formatTimestamp(value)}")`;
  if (value instanceof Duration) return `duration("${durationText(value.ns)}")`;
  if (typeof value === 'number') return Number.isFinite(value) ? fixedText(value, 6) : `"${formatDouble(value)}"`;
  const text = plainText(value);
  if (text === undefined)
    throw new FormatClauseError(`error during formatting: no formatting function for ${typeName(value)}`);
  return text;
}
