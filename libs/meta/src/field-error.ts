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

export const child = (path: string, ...names: string[]): string =>
  names.reduce((parent, name) => (parent === '' ? name : `${parent}.${name}`), path);
export const index = (path: string, i: number): string => `${path}[${i}]`;
export const key = (path: string, k: string): string => `${path}[${k}]`;

const withDetail = (text: string, detail?: string) =>
  detail === undefined || detail === '' ? text : `${text}: ${detail}`;

/** A value as Go's field.Error prints it: strings quoted, numbers and booleans bare, anything else as JSON. */
export function formatBadValue(value: unknown): string {
  if (value === undefined || value === null) return 'null';
  if (typeof value === 'bigint') return value.toString();
  return JSON.stringify(value, (_k, v: unknown) => (typeof v === 'bigint' ? JSON.rawJSON(v.toString()) : v));
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
    supported.length > 0 ? `supported values: ${supported.map((s) => JSON.stringify(s)).join(', ')}` : undefined,
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
/** `limit` is in bytes. */
export const tooLong = (field: string, limit: number): FieldError => ({
  reason: 'FieldValueTooLong',
  field,
  message: `Too long: may not be more than ${limit} bytes`,
});
export const tooMany = (field: string, actual: number, limit: number): FieldError => ({
  reason: 'FieldValueTooMany',
  field,
  message: `Too many: ${actual}: must have at most ${limit} items`,
});
export const internal = (field: string, detail: string): FieldError => ({
  reason: 'InternalError',
  field,
  message: `Internal error: ${detail}`,
});
