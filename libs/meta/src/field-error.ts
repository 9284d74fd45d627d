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

/** A text that is made when somebody reads it: it may quote a whole list, and a list may give an error for each of its items. */
const error = (reason: FieldErrorReason, path: string, text: () => string): FieldError => ({
  reason,
  field: path,
  get message() {
    return text();
  },
});

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

export const required = (path: string, detail?: string): FieldError =>
  error('FieldValueRequired', path, () => withDetail('Required value', detail));
export const invalid = (path: string, value: unknown, detail?: string): FieldError =>
  error('FieldValueInvalid', path, () => withDetail(`Invalid value: ${formatBadValue(value)}`, detail));
export const typeInvalid = (path: string, value: unknown, detail?: string): FieldError =>
  error('FieldValueTypeInvalid', path, () => withDetail(`Invalid value: ${formatBadValue(value)}`, detail));
export const notSupported = (path: string, value: unknown, supported: readonly string[]): FieldError =>
  error('FieldValueNotSupported', path, () =>
    withDetail(
      `Unsupported value: ${formatBadValue(value)}`,
      supported.length > 0 ? `supported values: ${supported.map(goQuote).join(', ')}` : undefined,
    ),
  );
export const duplicate = (path: string, value: unknown): FieldError =>
  error('FieldValueDuplicate', path, () => `Duplicate value: ${formatBadValue(value)}`);
export const notFound = (path: string, value: unknown): FieldError =>
  error('FieldValueNotFound', path, () => `Not found: ${formatBadValue(value)}`);
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
export const internal = (path: string, detail: string): FieldError =>
  error('InternalError', path, () => `Internal error: ${detail}`);

/** As many errors as a check goes on for. kube-apiserver has no such bound; nobody reads more. */
export const maxErrors = 10_000;
/** As much text of errors, in characters, as an answer shows before it says that there is more. */
export const maxShownText = 1 << 20;

/** Ends a check that has found enough, see `collect`. */
class EnoughErrors extends Error {
  override readonly name = 'EnoughErrors';
  readonly errors: CollectedErrors;
  constructor(errors: CollectedErrors) {
    super(`more than ${maxErrors} errors`);
    this.errors = errors;
  }
}

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

/** Runs a check, which adds what it finds to `out`, and answers with that. The check is over as soon as it has found `maxErrors`. */
export function collect(check: (out: FieldError[]) => void): FieldError[] {
  const out = new CollectedErrors();
  try {
    check(out);
  } catch (error) {
    // A check within another may have filled the list of the outer one.
    if (!(error instanceof EnoughErrors) || error.errors !== out) throw error;
  }
  return Array.from(out);
}

/** What `check` finds of each item, up to the same bound. */
export const collectEach = <T>(
  items: readonly T[],
  check: (item: T, position: number) => readonly FieldError[],
): FieldError[] =>
  collect((out) => {
    for (const [position, item] of items.entries()) out.push(...check(item, position));
  });

/** What of some errors is shown: all, but that a client must not get more text than it sent many times over. */
export interface ShownErrors {
  readonly errors: readonly FieldError[];
  readonly all: boolean;
}

/** The errors with their texts made, from the first to where the texts get too long or too many; at least one. */
export function shownErrors(errors: readonly FieldError[]): ShownErrors {
  const shown: FieldError[] = [];
  let length = 0;
  for (const { reason, field, message } of errors) {
    length += field.length + message.length;
    if (shown.length > 0 && (length > maxShownText || shown.length >= maxErrors)) return { errors: shown, all: false };
    shown.push({ reason, field, message });
  }
  return { errors: shown, all: true };
}

/** The text of a list of field errors: one bare, several between brackets, repetitions dropped; `and more` where not all are shown. */
export function aggregateFieldErrors(errors: readonly FieldError[]): string {
  return textOfShown(shownErrors(errors));
}

/** The same of errors that were selected already. */
export function textOfShown({ errors, all }: ShownErrors): string {
  const texts = [...new Set(errors.map((e) => `${e.field}: ${e.message}`)), ...(all ? [] : ['and more'])];
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
}
