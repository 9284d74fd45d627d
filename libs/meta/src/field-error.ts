import { formatNumber } from './go-float.ts';
import { goQuote } from './go-quote.ts';
import { stringifyJson } from './json.ts';

/**
 * Validation errors that name the field they concern, as k8s.io/apimachinery/pkg/util/validation/field renders them.
 * A path is a plain string such as `spec.containers[0].name`; build one with `child`, `index` and `key`.
 */
export type FieldErrorReason =
  | 'FieldValueNotFound'
  | 'FieldValueRequired'
  | 'FieldValueDuplicate'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueTooFew'
  | 'FieldValueTooShort'
  | 'FieldValueTypeInvalid'
  | 'InternalError';

export interface FieldError {
  readonly reason: FieldErrorReason;
  readonly field: string;
  /** The text after `field: `, e.g. `Invalid value: "x": must be ...`. */
  readonly message: string;
}

export function child(path: string, name: string, ...further: string[]): string {
  let at = path === '' ? name : `${path}.${name}`;
  for (const next of further) at += `.${next}`;
  return at;
}
export const index = (path: string, i: number): string => `${path}[${i}]`;
export const key = (path: string, k: string): string => `${path}[${k}]`;

const withDetail = (text: string, detail?: string) =>
  detail === undefined || detail === '' ? text : `${text}: ${detail}`;

/** A value as Go's field.Error prints it: strings quoted, numbers and booleans bare, anything else as JSON. */
export function formatBadValue(value: unknown): string {
  if (typeof value === 'string') return goQuote(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number') return formatNumber(value);
  return stringifyJson(value);
}

export const required = (field: string, detail?: string): FieldError => ({
  reason: 'FieldValueRequired',
  field,
  message: withDetail('Required value', detail),
});
export const invalid = (field: string, value: unknown, detail?: string): FieldError => ({
  reason: 'FieldValueInvalid',
  field,
  message: withDetail(`Invalid value: ${formatBadValue(value)}`, detail),
});
export const typeInvalid = (field: string, value: unknown, detail?: string): FieldError => ({
  reason: 'FieldValueTypeInvalid',
  field,
  message: withDetail(`Invalid value: ${formatBadValue(value)}`, detail),
});
export const notSupported = (field: string, value: unknown, supported: readonly string[]): FieldError => ({
  reason: 'FieldValueNotSupported',
  field,
  message: withDetail(
    `Unsupported value: ${formatBadValue(value)}`,
    supported.length > 0 ? `supported values: ${supported.map(goQuote).join(', ')}` : undefined,
  ),
});
export const duplicate = (field: string, value: unknown): FieldError => ({
  reason: 'FieldValueDuplicate',
  field,
  message: `Duplicate value: ${formatBadValue(value)}`,
});
export const notFound = (field: string, value: unknown): FieldError => ({
  reason: 'FieldValueNotFound',
  field,
  message: `Not found: ${formatBadValue(value)}`,
});
export const forbidden = (field: string, detail?: string): FieldError => ({
  reason: 'FieldValueForbidden',
  field,
  message: withDetail('Forbidden', detail),
});
const counted = (n: number, unit: string) => `${n} ${unit}${n === 1 ? '' : 's'}`;

/** `limit` is in bytes. */
export const tooLong = (field: string, limit: number): FieldError => ({
  reason: 'FieldValueTooLong',
  field,
  message: `Too long: ${limit < 0 ? 'value is too long' : `may not be more than ${counted(limit, 'byte')}`}`,
});
/** A negative `actual` is not printed. */
export const tooMany = (field: string, actual: number, limit: number): FieldError => ({
  reason: 'FieldValueTooMany',
  field,
  message: `Too many: ${actual < 0 ? '' : `${actual}: `}${limit < 0 ? 'has too many items' : `must have at most ${counted(limit, 'item')}`}`,
});
export const internal = (field: string, detail: string): FieldError => ({
  reason: 'InternalError',
  field,
  message: `Internal error: ${detail}`,
});

/** So many errors of one object, and so many bytes of their messages, an answer tells of. */
export const maxErrors = 1000;
export const maxErrorBytes = 1024 * 1024;

/**
 * The errors that an answer tells of, and how many it does not: an object of three megabytes may have hundreds of thousands, which would
 * come to hundreds of megabytes.
 */
export function boundedErrors(errors: readonly FieldError[]): { told: readonly FieldError[]; untold: number } {
  let told = 0;
  let bytes = 0;
  // The first is told however long it is.
  while (told < errors.length && told < maxErrors && bytes <= maxErrorBytes)
    bytes += errors[told++]?.message.length ?? 0;
  return { told: told === errors.length ? errors : errors.slice(0, told), untold: errors.length - told };
}

/** The text of a list of field errors: one bare, several between brackets, repetitions dropped. */
export function aggregateFieldErrors(errors: readonly FieldError[]): string {
  const texts = [...new Set(errors.map((e) => `${e.field}: ${e.message}`))];
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
}
