import {
  deepEqual,
  isList,
  isRecord,
  field,
  isWholeFloat,
  type FieldError,
  type JsonValue,
  type List,
} from '@apichain/meta';
import { formatNumber, goQuote } from '@apichain/go-text';
import { Correlation } from './correlation.ts';
import { sortKeys } from './sort-keys.ts';
import { isRecognizedFormat, stringFormat } from './formats.ts';
import { itemsSchema, property, valuesSchema, type JsonSchemaProps } from './json-schema-props.ts';
import { compilePattern } from './pattern.ts';
import { compileJunctors } from './validate-junctors.ts';
import { compileNumberCheck, isInt64 } from './validate-number.ts';
import { fieldErrors, isFull, newOutcome, report, type Check, type Outcome } from './validation-outcome.ts';

/** A compiled schema. Work that depends only on the schema is done once, for each part when a value first needs it. */
export interface SchemaValidator {
  /** Errors of a new value. `path` prefixes the fields; '' for a whole object. */
  validate(value: unknown, path: string): FieldError[];
  /** Errors of an updated value, without those about unchanged parts (ratcheting). */
  validateUpdate(value: unknown, old: unknown, path: string): FieldError[];
}

export interface CompileOptions {
  /** Whether the types of x-kubernetes-int-or-string values are checked. For defaults in a CRD they are not, as in kube-apiserver. */
  readonly intOrStringTyped: boolean;
  /** Whether the schema describes a whole resource. Then errors about apiVersion and kind are never ignored. */
  readonly isResourceRoot: boolean;
}

/**
 * Compiles an OpenAPI v3 schema of a CRD to a validator. Messages and causes are those of kube-openapi's validator. Never throws: CRD
 * validation reports unsupported keywords and invalid patterns.
 */
export function compileSchema(schema: JsonSchemaProps, options: CompileOptions): SchemaValidator {
  const check = compileNode(schema, options);
  const run = (value: unknown, correlation: Correlation | undefined) => {
    const out = newOutcome();
    checkNode(check, value, '', out, correlation);
    return out;
  };
  return {
    validate: (value, path) => fieldErrors(run(value, undefined), path),
    validateUpdate(value, old, path) {
      const strict = run(value, undefined);
      if (strict.failures.length === 0) return [];
      return fieldErrors(run(value, new Correlation(value, old, schema, options.isResourceRoot)), path);
    },
  };
}

/** Runs a check and removes its failures if the value is unchanged. */
function checkNode(
  check: Check,
  value: unknown,
  name: string,
  out: Outcome,
  correlation: Correlation | undefined,
): void {
  const before = out.failures.length;
  check(value, name, out, correlation);
  if (out.failures.length > before && correlation?.unchanged) out.failures.length = before;
}

/** The JSON type of a value, by the names of kube-openapi. */
export function jsonType(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  // Integers beyond 2^53 are bigints. A number of that size was written as a float.
  if (typeof value === 'bigint') return isInt64(value) ? 'integer' : 'number';
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'integer' : 'number';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'object' ? 'object' : typeof value;
}

function compileNode(schema: JsonSchemaProps, options: CompileOptions): Check {
  const types = schemaTypes(schema, options);
  const format = isRecognizedFormat(
    types.length === 1 ? (types[0] ?? '') : types.length === 0 ? '' : '-',
    schema.format ?? '',
  )
    ? (schema.format ?? '')
    : '';
  const checkType = compileType(types, format, schema.nullable === true);
  const junctors = compileJunctors(schema, (s) => compileNode(s, { ...options, intOrStringTyped: false }));
  const checkString = compileString(schema, format);
  const checkNumber = compileNumberCheck({ ...schema, type: types.length === 1 ? types[0] : '' });
  const checkList = compileList(schema, options);
  const checkEnum = compileEnum(schema);
  const checkObject = compileObject(schema, options);
  return (value, name, out, correlation) => {
    checkType?.(value, name, out);
    if (value === null || value === undefined) {
      checkEnum?.(value, name, out);
      return;
    }
    junctors?.(value, name, out, correlation);
    out.matches += 4;
    if (typeof value === 'string') checkString(value, name, out);
    else if (typeof value === 'number' || typeof value === 'bigint') checkNumber(value, name, out);
    else if (isList(value)) checkList(value, name, out, correlation);
    checkEnum?.(value, name, out);
    if (isRecord(value)) checkObject(value, name, out, correlation);
  };
}

function schemaTypes(schema: JsonSchemaProps, options: CompileOptions): string[] {
  if (schema['x-kubernetes-int-or-string'] && options.intOrStringTyped) return ['integer', 'string'];
  return schema.type ? [schema.type] : [];
}

type Simple<T> = (value: T, name: string, out: Outcome) => void;

function invalidType(name: string, expected: string, actual: string, out: Outcome): void {
  const text = `${name} in body must be of type ${expected}: ${goQuote(actual)}`;
  report(out, { text, name, build: (at) => field.typeInvalid(at, actual, text) });
}

function compileType(types: readonly string[], format: string, nullable: boolean): Simple<unknown> | undefined {
  const expected = types.join(',');
  const numeric = types.includes('integer') || types.includes('number');
  if (types.length === 0 && format === '') return undefined;
  return (value, name, out) => {
    const actual = typeof value === 'number' && out.isFloat === true ? 'number' : jsonType(value);
    if (actual === 'null') {
      if (types.length > 0 && !nullable) invalidType(name, expected, 'null', out);
      else out.matches += 1;
      return;
    }
    out.matches += 1;
    const fits =
      types.includes(actual) || (actual === 'integer' && types.includes('number')) || wholeFloat(value, types);
    if (fits) out.matches += 1;
    else if (format !== '' && actual !== 'string' && actual !== 'array')
      invalidType(name, format, actual === 'integer' ? 'int64' : actual === 'number' ? 'float64' : '', out);
    else if (format !== '' && !numeric) out.matches += 1;
    else invalidType(name, expected, actual, out);
  };
}

/** Whether a float is close enough to an integer, in the range where floats are exact. */
const wholeFloat = (value: unknown, types: readonly string[]): boolean => {
  if (typeof value !== 'number' || !types.includes('integer') || Math.abs(value) > Number.MAX_SAFE_INTEGER)
    return false;
  const whole = Math.trunc(value);
  return value === whole || Math.abs(value - whole) / (Math.abs(value) + Math.abs(whole)) < wholeTolerance;
};
const wholeTolerance = 1e-9;

function compileString(schema: JsonSchemaProps, format: string): Simple<string> {
  const { maxLength, minLength, pattern } = schema;
  const matchesFormat = format === '' ? undefined : stringFormat(format);
  const expression = tryCompile(pattern);
  const checkLength = (value: string, name: string, out: Outcome): boolean => {
    const length = codePoints(value);
    if (typeof maxLength === 'number' && length > maxLength) {
      const text = `${name} in body should be at most ${maxLength} chars long`;
      report(out, { text, name, build: (at) => field.tooLong(at, maxLength) });
      return false;
    }
    if (typeof minLength === 'number' && length < minLength) {
      const text = `${name} in body should be at least ${minLength} chars long`;
      report(out, { text, name, build: (at) => field.invalid(at, value, text) });
      return false;
    }
    return true;
  };
  return (value, name, out) => {
    out.matches += 1;
    if (checkLength(value, name, out) && expression !== undefined && !expression.test(value)) {
      const text = `${name} in body should match '${pattern ?? ''}'`;
      report(out, { text, name, build: (at) => field.invalid(at, value, text) });
    }
    if (matchesFormat === undefined) return;
    out.matches += 1;
    if (!matchesFormat(value)) invalidType(name, format, value, out);
  };
}

function codePoints(text: string): number {
  let count = text.length;
  for (let i = 0; i + 1 < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xd800 && unit < 0xdc00) {
      count--;
      i++;
    }
  }
  return count;
}

function tryCompile(pattern: string | undefined): { test(text: string): boolean } | undefined {
  if (pattern === undefined || pattern === null || pattern === '') return undefined;
  try {
    return compilePattern(pattern);
  } catch (error) {
    if (error instanceof Error) return { test: () => false };
    throw error;
  }
}

function compileList(
  schema: JsonSchemaProps,
  options: CompileOptions,
): (value: List, name: string, out: Outcome, correlation: Correlation | undefined) => void {
  const { minItems, maxItems } = schema;
  const items = itemsSchema(schema);
  const checkItem = items === undefined ? undefined : compileNode(items, options);
  return (list, name, out, correlation) => {
    out.matches += 1;
    if (checkItem !== undefined)
      for (const [i, item] of list.entries()) {
        if (isFull(out)) return;
        if (typeof item === 'number') out.isFloat = isWholeFloat(list, i);
        checkNode(checkItem, item, `${name}[${i}]`, out, correlation?.index(i));
      }
    if (typeof minItems === 'number' && list.length < minItems) {
      const text = `${name} in body should have at least ${minItems} items`;
      report(out, { text, name, build: (at) => field.invalid(at, list.length, text) });
    }
    if (typeof maxItems === 'number' && list.length > maxItems) {
      const text = `${name} in body should have at most ${maxItems} items`;
      report(out, { text, name, build: (at) => field.tooMany(at, list.length, maxItems) });
    }
  };
}

function compileEnum(schema: JsonSchemaProps): Simple<unknown> | undefined {
  const allowed: JsonValue[] | undefined = schema.enum;
  if (!Array.isArray(allowed) || allowed.length === 0) return undefined;
  const strings = new Set(allowed.filter((v) => typeof v === 'string'));
  const supported = allowed.map(enumText);
  const list = supported.join(' ');
  return (value, name, out) => {
    if (typeof value === 'string' ? strings.has(value) : allowed.some((v) => equalEnum(value, v))) return;
    const text = `${name} in body should be one of [${list}]`;
    report(out, { text, name, build: (at) => field.notSupported(at, sortKeys(value), supported) });
  };
}

function enumText(value: JsonValue): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return formatNumber(value);
  if (typeof value === 'bigint') return value.toString();
  return JSON.stringify(value);
}

/** A float equals an integer enum value if its integer part does. */
const equalEnum = (value: unknown, allowed: JsonValue): boolean =>
  typeof value === 'number' && typeof allowed === 'number' && Number.isInteger(allowed)
    ? Math.trunc(value) === allowed
    : allowed !== null && deepEqual(value, allowed);

function compileObject(
  schema: JsonSchemaProps,
  options: CompileOptions,
): (value: Record<string, unknown>, name: string, out: Outcome, correlation: Correlation | undefined) => void {
  const { minProperties, maxProperties } = schema;
  const required = Array.isArray(schema.required) ? schema.required : [];
  const nested = { ...options, isResourceRoot: false };
  const checks = new Map<string, Check>();
  const checkOf = (name: string): Check | undefined => {
    const known = checks.get(name);
    if (known !== undefined) return known;
    const declared = property(schema, name);
    if (declared === undefined) return undefined;
    const check = compileNode(declared, nested);
    checks.set(name, check);
    return check;
  };
  const values = valuesSchema(schema);
  let checkValue: Check | undefined;
  const closed = schema.additionalProperties === false;
  return (object, name, out, correlation) => {
    const keys = Object.keys(object);
    if (typeof minProperties === 'number' && keys.length < minProperties)
      sizeFailure(name, keys.length, `at least ${minProperties}`, out);
    if (typeof maxProperties === 'number' && keys.length > maxProperties) {
      const text = `${name} in body should have at most ${maxProperties} properties`;
      report(out, { text, name, build: (at) => field.tooMany(at, keys.length, maxProperties) });
    }
    for (const key of keys) {
      if (isFull(out)) return;
      const check = checkOf(key);
      if (typeof object[key] === 'number') out.isFloat = isWholeFloat(object, key);
      if (check !== undefined)
        checkNode(check, object[key], name === '' ? key : `${name}.${key}`, out, correlation?.key(key));
      else if (values !== undefined)
        checkNode(
          (checkValue ??= compileNode(values, nested)),
          object[key],
          `${name}.${key}`,
          out,
          correlation?.key(key),
        );
      else if (closed) forbiddenProperty(name, key, out);
    }
    for (const key of required) if (!Object.hasOwn(object, key)) missingProperty(`${name}.${key}`, out);
  };
}

function sizeFailure(name: string, actual: number, bound: string, out: Outcome): void {
  const text = `${name} in body should have ${bound} properties`;
  report(out, { text, name, build: (at) => field.invalid(at, actual, text) });
}

function forbiddenProperty(name: string, key: string, out: Outcome): void {
  const text = `${name}.${key} in body is a forbidden property`;
  report(out, { text, name, build: (at) => field.invalid(at, key, text) });
}

function missingProperty(name: string, out: Outcome): void {
  report(out, { text: `${name} in body is required`, name, build: (at) => field.required(at) });
}
