/** Field errors and the checks that find them. Other libraries import them as the namespace `field`. */
import { formatNumber, goQuote, shortened } from '@apichain/go-text';
import { stringifyJson } from './stringify-json.ts';

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

/** The path of a field below `path`, which may be empty: `spec`, `name` -> `spec.name`. */
export function child(path: string, name: string, ...further: string[]): string {
  let at = path === '' ? name : `${path}.${name}`;
  for (const next of further) at += `.${next}`;
  return at;
}

/** The path of an item of a list: `spec.ports[0]`. */
export const index = (path: string, i: number): string => `${path}[${i}]`;
/** The path of an entry of a map: `metadata.labels[app]`. */
export const key = (path: string, k: string): string => `${path}[${k}]`;

/** A check ends when it has found this many errors. kube-apiserver has no such bound. */
export const maxErrors = 10_000;

/** Thrown by a list of errors to end the check that fills it, see `collect`. */
class EnoughErrors extends Error {
  override readonly name = 'EnoughErrors';
  readonly errors: CollectedErrors;
  constructor(errors: CollectedErrors) {
    super(`more than ${maxErrors} errors`);
    this.errors = errors;
  }
}

/** The list that a check adds its errors to. Throws EnoughErrors when it is full, after adding the last error. */
class CollectedErrors extends Array<FieldError> {
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }

  override push(...errors: FieldError[]): number {
    const length = super.push(...errors);
    if (length >= maxErrors) throw new EnoughErrors(this);
    return length;
  }
}

/**
 * Runs a check, which adds the errors it finds to `out`, and returns the errors. The check ends as soon as it has found `maxErrors`. A
 * nested `collect` is complete when it returns.
 */
export function collect(check: (out: FieldError[]) => void): FieldError[] {
  const out = new CollectedErrors();
  try {
    check(out);
  } catch (error) {
    // A nested check may have filled the list of the outer check.
    if (!(error instanceof EnoughErrors) || error.errors !== out) throw error;
  }
  return Array.from(out);
}

/** Checks a list member and adds its errors to `out`. */
export type MemberCheck<T> = (out: FieldError[], item: T, position: number) => void;

/** Checks the members of a list in order. */
export function checkEach<T>(out: FieldError[], items: readonly T[], check: MemberCheck<T>): void {
  let position = 0;
  for (const item of items) check(out, item, position++);
}

/** The errors that `check` finds in each item, at most `maxErrors`. */
export const collectEach = <T>(
  items: readonly T[],
  check: (item: T, position: number) => readonly FieldError[],
): FieldError[] =>
  collect((out) => checkEach(out, items, (found, item, position) => void found.push(...check(item, position))));

/** The most text of errors, in characters, that a response shows. */
export const maxShownText = 1 << 18;

/** The errors that a response shows. The text is bounded, so that a response is not many times larger than its request. */
export interface ShownErrors {
  readonly errors: readonly FieldError[];
  readonly all: boolean;
}

/** Makes the texts of the errors, in order, until the text is too long or the errors are too many. Shows at least one error. */
export function shownErrors(errors: readonly FieldError[]): ShownErrors {
  const shown: FieldError[] = [];
  let length = 0;
  for (const { reason, field, message: whole } of errors) {
    const message = shortened(whole, maxShownText);
    length += field.length + message.length;
    if (shown.length > 0 && (length > maxShownText || shown.length >= maxErrors)) return { errors: shown, all: false };
    shown.push({ reason, field, message });
  }
  return { errors: shown, all: true };
}

/**
 * The text of a list of field errors: a single error as it is, several in brackets, without repetitions. Ends with `and more` if not all
 * are shown.
 */
export function aggregateFieldErrors(errors: readonly FieldError[]): string {
  return textOfShown(shownErrors(errors));
}

/** The text of errors that `shownErrors` has selected. */
export function textOfShown({ errors, all }: ShownErrors): string {
  const texts = [...new Set(errors.map((e) => `${e.field}: ${e.message}`)), ...(all ? [] : ['and more'])];
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
}
