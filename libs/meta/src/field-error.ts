import { formatNumber } from '@apichain/go-text';
import { goQuote, shortened } from '@apichain/go-text';
import { stringifyJson } from './stringify-json.ts';
import { isStepDone, type Work } from './turns.ts';

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

/** One field that is not valid, after field.Error of k8s.io/apimachinery. `newInvalid` makes a Status of them. */
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

const withDetail = (text: string, detail?: string) =>
  detail === undefined || detail === '' ? text : `${text}: ${detail}`;

/** A value as Go's field.Error prints it: strings quoted, numbers and booleans bare, anything else as JSON. */
export function formatBadValue(value: unknown): string {
  if (typeof value === 'string') return goQuote(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number') return formatNumber(value);
  return stringifyJson(value);
}

/** A field that must be there is not. */
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
/** A value is there twice. */
export const duplicate = (path: string, value: unknown): FieldError =>
  error('FieldValueDuplicate', path, () => `Duplicate value: ${formatBadValue(value)}`);
/** A value names something that does not exist. */
export const notFound = (path: string, value: unknown): FieldError =>
  error('FieldValueNotFound', path, () => `Not found: ${formatBadValue(value)}`);
/** A field must not be set as it is; `detail` says why. */
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

/** As many errors as a check goes on for. kube-apiserver has no such bound; nobody reads more. */
export const maxErrors = 10_000;
/** As much text of errors, in characters, as an answer shows before it says that there is more. */
export const maxShownText = 1 << 18;

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

  /** Checks of long lists may wait, see `checkEach`. */
  readonly inSteps: boolean;
  /** Such a check waits among the errors. */
  isWaiting = false;

  constructor(inSteps: boolean) {
    super();
    this.inSteps = inSteps;
  }

  override push(...errors: FieldError[]): number {
    const length = super.push(...errors);
    if (length >= maxErrors) throw new EnoughErrors(this);
    return length;
  }
}

/** As many members of a list are checked at once. */
const membersAtOnce = 256;

/** Checks of the members of a list that wait for their turn, among errors at the place of what they will find. */
class WaitingChecks<T> implements FieldError {
  readonly reason = 'InternalError';
  readonly field = '';
  readonly #items: readonly T[];
  readonly #check: MemberCheck<T>;

  constructor(items: readonly T[], check: MemberCheck<T>) {
    this.#items = items;
    this.#check = check;
  }

  get message(): string {
    throw new Error('checks that wait were taken for an error');
  }

  *run(out: FieldError[]): Work<void> {
    let own = new CollectedErrors(true);
    let position = 0;
    for (const item of this.#items) {
      this.#check(own, item, position++);
      if (own.length > 0) {
        yield* addAll(out, own);
        own = new CollectedErrors(true);
      }
      if (isStepDone()) yield;
    }
  }
}

function* addAll(out: FieldError[], found: readonly FieldError[]): Work<void> {
  for (const error of found) {
    if (error instanceof WaitingChecks) yield* error.run(out);
    else out.push(error);
  }
}

/** Adds what is wrong with a member of a list to `out`, which is not always that of the check around it. */
export type MemberCheck<T> = (out: FieldError[], item: T, position: number) => void;

/**
 * Checks the members of a list. In a check that `checkInSteps` runs those of long lists wait until the check is over, and what is
 * checked in this way after a list that waits, waits too: so the members of all lists are checked in the order of the calls, and may share
 * what they remember. Whatever else needs to know what was found or remembered uses `checkAfterwards`.
 */
export function checkEach<T>(out: FieldError[], items: readonly T[], check: MemberCheck<T>): void {
  if (out instanceof CollectedErrors && out.inSteps && (out.isWaiting || items.length > membersAtOnce)) {
    out.push(new WaitingChecks(items, check));
    out.isWaiting = true;
    return;
  }
  let position = 0;
  for (const item of items) check(out, item, position++);
}

/** Runs a check after all lists before it. */
export const checkAfterwards = (out: FieldError[], check: (out: FieldError[]) => void): void =>
  checkEach(out, [undefined], check);

/**
 * The next check that is collected may leave lists for later. Set while `checkInSteps` starts a check and read by the first `collect` in it,
 * within one turn of the event loop: it says when members are checked, never what is found.
 */
let startsInSteps = false;

/**
 * Runs a check, which adds what it finds to `out`, and answers with that. The check is over as soon as it has found `maxErrors`. Checks
 * collected within it are complete when they return.
 */
export function collect(check: (out: FieldError[]) => void): FieldError[] {
  const inSteps = startsInSteps;
  const out = new CollectedErrors(inSteps);
  startsInSteps = false;
  try {
    check(out);
  } catch (error) {
    // A check within another may have filled the list of the outer one.
    if (!(error instanceof EnoughErrors) || error.errors !== out) throw error;
  } finally {
    startsInSteps = inSteps;
  }
  return Array.from(out);
}

function begun(check: () => readonly FieldError[]): readonly FieldError[] {
  startsInSteps = true;
  try {
    return check();
  } finally {
    startsInSteps = false;
  }
}

/** Runs checks one after the other, long lists (see `checkEach`) in steps. Answers with what they find, up to `maxErrors`. */
export function* checkInSteps(...checks: readonly (() => readonly FieldError[])[]): Work<FieldError[]> {
  const out = new CollectedErrors(false);
  try {
    for (const [i, check] of checks.entries()) {
      if (i > 0) yield;
      const found = begun(check);
      if (found.length > 0) yield* addAll(out, found);
    }
  } catch (error) {
    if (!(error instanceof EnoughErrors)) throw error;
    if (error.errors !== out) return [...out, ...error.errors.filter((each) => !(each instanceof WaitingChecks))];
  }
  return Array.from(out);
}

/** What `check` finds of each item, up to the same bound. */
export const collectEach = <T>(
  items: readonly T[],
  check: (item: T, position: number) => readonly FieldError[],
): FieldError[] =>
  collect((out) => checkEach(out, items, (found, item, position) => void found.push(...check(item, position))));

/** What of some errors is shown: all, but that a client must not get more text than it sent many times over. */
export interface ShownErrors {
  readonly errors: readonly FieldError[];
  readonly all: boolean;
}

/** The errors with their texts made, from the first to where the texts get too long or too many; at least one. */
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

/** The text of a list of field errors: one bare, several between brackets, repetitions dropped; `and more` where not all are shown. */
export function aggregateFieldErrors(errors: readonly FieldError[]): string {
  return textOfShown(shownErrors(errors));
}

/** The same of errors that were selected already. */
export function textOfShown({ errors, all }: ShownErrors): string {
  const texts = [...new Set(errors.map((e) => `${e.field}: ${e.message}`)), ...(all ? [] : ['and more'])];
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
}
