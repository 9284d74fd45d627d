import type { FieldError } from './errors.ts';

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
