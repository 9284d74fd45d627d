import { field } from '@apichain/meta';
import { formatFloat } from '@apichain/go-text';
import type { JsonSchemaProps } from './json-schema-props.ts';
import { composite, report, type Outcome } from './validation-outcome.ts';

const minInt64 = -(2n ** 63n);
const maxInt64 = 2n ** 63n - 1n;
const maxFloat32 = 3.4028235677973366e38;

/** Whether Go reads a JSON number as int64; otherwise it reads a float64. */
export function isInt64(value: number | bigint): boolean {
  if (typeof value === 'bigint') return value >= minInt64 && value <= maxInt64;
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63;
}

interface NumberRules {
  readonly type: string;
  readonly format: string;
  readonly multipleOf?: number;
  readonly maximum?: number;
  readonly minimum?: number;
  readonly exclusiveMaximum: boolean;
  readonly exclusiveMinimum: boolean;
}

/** The range, bounds and multipleOf checks of a schema. They apply to numbers regardless of the schema's type. */
export function compileNumberCheck(
  schema: JsonSchemaProps,
): (value: number | bigint, name: string, out: Outcome) => void {
  const rules = numberRules(schema);
  return (value, name, out) => {
    checkRange(value, rules, 'Checked', name, out);
    if (rules.multipleOf !== undefined) checkMultiple(value, rules.multipleOf, rules, name, out);
    if (rules.minimum !== undefined) checkMinimum(value, rules.minimum, rules, name, out);
    if (rules.maximum !== undefined) checkMaximum(value, rules.maximum, rules, name, out);
  };
}

function numberRules(schema: JsonSchemaProps): NumberRules {
  const type = schema.type === 'integer' || schema.type === 'number' ? schema.type : '';
  const known = type === 'integer' ? ['int32', 'int64'] : type === 'number' ? ['float', 'double'] : [];
  return {
    type,
    format: known.includes(schema.format ?? '') ? (schema.format ?? '') : '',
    ...(typeof schema.multipleOf === 'number' ? { multipleOf: schema.multipleOf } : {}),
    ...(schema.maximum === undefined || schema.maximum === null ? {} : { maximum: Number(schema.maximum) }),
    ...(schema.minimum === undefined || schema.minimum === null ? {} : { minimum: Number(schema.minimum) }),
    exclusiveMaximum: schema.exclusiveMaximum === true,
    exclusiveMinimum: schema.exclusiveMinimum === true,
  };
}

/** Whether the number fits the schema's type and format; otherwise reports a failure. */
function checkRange(value: number | bigint, rules: NumberRules, what: string, name: string, out: Outcome): boolean {
  if (fits(value, rules)) return true;
  const as = rules.format === '' ? '(default format)' : `with format ${rules.format}`;
  report(out, composite(`${what} value must be of type ${rules.type} ${as} in ${name}`));
  return false;
}

function fits(value: number | bigint, rules: NumberRules): boolean {
  if (rules.type === 'integer') {
    const whole = isInt64(value);
    return rules.format === 'int32' ? whole && value >= -(2 ** 31) && value <= 2 ** 31 - 1 : whole;
  }
  return rules.format !== 'float' || Math.abs(Number(value)) < maxFloat32;
}

function checkMaximum(value: number | bigint, maximum: number, rules: NumberRules, name: string, out: Outcome): void {
  const { bound, text } = boundFor(value, maximum, rules, 'Maximum boundary', name, out);
  if (rules.exclusiveMaximum ? value < bound : value <= bound) return;
  fail(out, name, value, `less than ${rules.exclusiveMaximum ? '' : 'or equal to '}${text}`);
}

function checkMinimum(value: number | bigint, minimum: number, rules: NumberRules, name: string, out: Outcome): void {
  const { bound, text } = boundFor(value, minimum, rules, 'Minimum boundary', name, out);
  if (rules.exclusiveMinimum ? value > bound : value >= bound) return;
  fail(out, name, value, `greater than ${rules.exclusiveMinimum ? '' : 'or equal to '}${text}`);
}

interface Bound {
  readonly bound: number | bigint;
  readonly text: string;
}

/** The bound for a comparison: integers are compared with the integer part of a bound, if the bound fits their type. */
function boundFor(
  value: number | bigint,
  bound: number,
  rules: NumberRules,
  what: string,
  name: string,
  out: Outcome,
): Bound {
  return checkRange(bound, rules, what, name, out) && isInt64(value)
    ? wholeBound(bound)
    : { bound, text: formatFloat(bound) };
}

/** Go's conversion of a float64 to an int64: a value out of range becomes the smallest int64. */
function wholeBound(value: number): Bound {
  const bound = isInt64(Math.trunc(value)) ? BigInt(Math.trunc(value)) : minInt64;
  return { bound, text: bound.toString() };
}

function fail(out: Outcome, name: string, value: number | bigint, rest: string): void {
  const text = `${name} in body should be ${rest}`;
  report(out, { text, name, build: (at) => field.invalid(at, value, text) });
}

function checkMultiple(value: number | bigint, factor: number, rules: NumberRules, name: string, out: Outcome): void {
  const whole = checkRange(factor, rules, 'MultipleOf', name, out) && isInt64(value);
  const divisor = whole ? Math.trunc(factor) : factor;
  if (divisor <= 0) {
    const text = `factor MultipleOf declared for ${name} must be positive: ${whole ? divisor : formatFloat(divisor)}`;
    report(out, { text, name, build: (at) => field.invalid(at, divisor, text) });
  } else if (whole ? BigInt(value) % BigInt(divisor) !== 0n : !isMultiple(Number(value), divisor)) {
    fail(out, name, value, `a multiple of ${whole ? divisor : formatFloat(divisor)}`);
  }
}

function isMultiple(value: number, factor: number): boolean {
  const quotient = factor < 1 ? (1 / factor) * value : value / factor;
  if (!Number.isFinite(quotient) || Math.abs(quotient) > Number.MAX_SAFE_INTEGER) return false;
  const rest = Math.abs(quotient - Math.trunc(quotient));
  return rest === 0 || rest / Math.max(Math.abs(quotient) + Math.abs(Math.trunc(quotient)), Number.MIN_VALUE) < 1e-9;
}
