import { formatNumber, goQuote } from '@apichain/go-text';
import { stringifyJson } from '../stringify-json.ts';

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

/** One invalid field, after field.Error of k8s.io/apimachinery. `newInvalid` makes a Status of field errors. */
export interface FieldError {
  readonly reason: FieldErrorReason;
  readonly field: string;
  /** The text after `field: `, e.g. `Invalid value: "x": must be ...`. */
  readonly message: string;
}

/** The text is made when it is read: it may quote a whole list, and a list may have an error for each of its items. */
const error = (reason: FieldErrorReason, path: string, text: () => string): FieldError => ({
  reason,
  field: path,
  get message() {
    return text();
  },
});

const withDetail = (text: string, detail?: string) =>
  detail === undefined || detail === '' ? text : `${text}: ${detail}`;

/** A value as Go's field.Error prints it: strings quoted, numbers and booleans bare, anything else as JSON. */
export function formatBadValue(value: unknown): string {
  if (typeof value === 'string') return goQuote(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number') return formatNumber(value);
  return stringifyJson(value);
}

/** A required field is missing. */
export const required = (path: string, detail?: string): FieldError =>
  error('FieldValueRequired', path, () => withDetail('Required value', detail));
/** A value is not allowed; `detail` says why. */
export const invalid = (path: string, value: unknown, detail?: string): FieldError =>
  error('FieldValueInvalid', path, () => withDetail(`Invalid value: ${formatBadValue(value)}`, detail));
/** A value has the wrong type. */
export const typeInvalid = (path: string, value: unknown, detail?: string): FieldError =>
  error('FieldValueTypeInvalid', path, () => withDetail(`Invalid value: ${formatBadValue(value)}`, detail));
/** A value is not one of `supported`, which the message lists. */
export const notSupported = (path: string, value: unknown, supported: readonly string[]): FieldError =>
  error('FieldValueNotSupported', path, () =>
    withDetail(
      `Unsupported value: ${formatBadValue(value)}`,
      supported.length > 0 ? `supported values: ${supported.map(goQuote).join(', ')}` : undefined,
    ),
  );
/** A value occurs twice. */
export const duplicate = (path: string, value: unknown): FieldError =>
  error('FieldValueDuplicate', path, () => `Duplicate value: ${formatBadValue(value)}`);
/** A value names something that does not exist. */
export const notFound = (path: string, value: unknown): FieldError =>
  error('FieldValueNotFound', path, () => `Not found: ${formatBadValue(value)}`);
/** A field must not be set, or not in this way; `detail` says why. */
export const forbidden = (path: string, detail?: string): FieldError =>
  error('FieldValueForbidden', path, () => withDetail('Forbidden', detail));
const counted = (n: number, unit: string) => `${n} ${unit}${n === 1 ? '' : 's'}`;

/** `limit` is in bytes. */
export const tooLong = (path: string, limit: number): FieldError =>
  error(
    'FieldValueTooLong',
    path,
    () => `Too long: ${limit < 0 ? 'value is too long' : `may not be more than ${counted(limit, 'byte')}`}`,
  );
/** A negative `actual` is not printed. */
export const tooMany = (path: string, actual: number, limit: number): FieldError =>
  error(
    'FieldValueTooMany',
    path,
    () =>
      `Too many: ${actual < 0 ? '' : `${actual}: `}${limit < 0 ? 'has too many items' : `must have at most ${counted(limit, 'item')}`}`,
  );
/** The check itself failed. */
export const internal = (path: string, detail: string): FieldError =>
  error('InternalError', path, () => `Internal error: ${detail}`);
