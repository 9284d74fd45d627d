import { typeName } from '../overload.ts';
import { Duration, EvaluationError, ListValue, MapValue, Timestamp, TypeValue, Uint, type Value } from '../values.ts';
import { durationText, formatDouble } from './number-text.ts';
import { formatTimestamp } from './timestamps.ts';

const clause = /%(?:\.(\d+))?([a-zA-Z%])|%/g;

/** `format` of strings. https://pkg.go.dev/github.com/google/cel-go/ext#readme-format. Throws EvaluationError. */
export function formatText(template: string, args: ListValue): string {
  let next = 0;
  const text = template.replaceAll(clause, (whole: string, precision?: string, verb?: string) => {
    if (verb === '%') return '%';
    if (verb === undefined) throw new EvaluationError('unexpected end of string');
    if (next >= args.size) throw new EvaluationError(`index ${next} out of range`);
    return clauseText(verb, args.at(next++), precision === undefined ? undefined : Number(precision), whole);
  });
  return text;
}

function clauseText(verb: string, value: Value, precision: number | undefined, whole: string): string {
  switch (verb) {
    case 's':
      return plainText(value);
    case 'd':
      return integerText(value, 10, 'decimal');
    case 'b':
      return typeof value === 'boolean' ? (value ? '1' : '0') : integerText(value, 2, 'binary');
    case 'o':
      return integerText(value, 8, 'octal');
    case 'x':
      return hexText(value);
    case 'X':
      return hexText(value).toUpperCase();
    case 'f':
      return floatText(value, (n) => n.toFixed(precision ?? 6), 'fixed-point');
    case 'e':
      return floatText(value, (n) => n.toExponential(precision ?? 6).replace(/e([+-])(\d)$/, 'e$10$2'), 'scientific');
  }
  throw new EvaluationError(`could not parse formatting clause: unrecognized formatting clause "${whole.slice(-1)}"`);
}

function special(value: number): string | undefined {
  if (Number.isNaN(value)) return 'NaN';
  return Number.isFinite(value) ? undefined : value > 0 ? 'Infinity' : '-Infinity';
}
const number = (value: Value): bigint | undefined =>
  typeof value === 'bigint' ? value : value instanceof Uint ? value.value : undefined;

function integerText(value: Value, radix: number, name: string): string {
  const n = number(value);
  if (n !== undefined) return n.toString(radix);
  if (typeof value === 'number' && radix === 10) {
    const odd = special(value);
    if (odd !== undefined) return odd;
  }
  throw new EvaluationError(
    `error during formatting: ${name} clause can only be used on integers${radix === 2 ? ' and bools' : ''}, was given ${typeName(value)}`,
  );
}
function hexText(value: Value): string {
  const n = number(value);
  if (n !== undefined) return n.toString(16);
  if (typeof value === 'string' || value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  throw new EvaluationError(
    `error during formatting: only integers, byte buffers, and strings can be formatted as hex, was given ${typeName(value)}`,
  );
}
function floatText(value: Value, format: (n: number) => string, name: string): string {
  const n = typeof value === 'number' ? value : number(value);
  if (n === undefined)
    throw new EvaluationError(
      `error during formatting: ${name} clause can only be used on doubles, was given ${typeName(value)}`,
    );
  return special(Number(n)) ?? format(Number(n));
}

function plainText(value: Value): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return special(value) ?? formatDouble(value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  if (value instanceof Timestamp) return formatTimestamp(value.ns);
  if (value instanceof Duration) return durationText(value.ns);
  if (value instanceof TypeValue) return value.name;
  if (value instanceof ListValue) return `[${[...value].map(plainText).join(', ')}]`;
  if (value instanceof MapValue) {
    const entries = value.keys().map((k) => `${plainText(k)}: ${plainText(value.get(k) ?? null)}`);
    return `{${entries.sort().join(', ')}}`;
  }
  throw new EvaluationError(
    `error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given ${typeName(value)}`,
  );
}
