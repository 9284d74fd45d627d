import type { FieldError } from './errors.ts';

/** As many errors as a check goes on for. kube-apiserver has no such bound; nobody reads more. */
export const maxErrors = 10_000;

/** Thrown through a check that has found enough, see `collect`. */
export class EnoughErrors extends Error {
  override readonly name = 'EnoughErrors';
  readonly errors: CollectedErrors;
  constructor(errors: CollectedErrors) {
    super(`more than ${maxErrors} errors`);
    this.errors = errors;
  }
}

/** The list that a check adds its errors to. Throws EnoughErrors with the last error that it takes. */
export class CollectedErrors extends Array<FieldError> {
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }

  /** Checks of long lists may be postponed, see `checkEach`. */
  readonly mayPostpone: boolean;
  /** Such a check stands among the errors. */
  hasPostponed = false;

  constructor(mayPostpone: boolean) {
    super();
    this.mayPostpone = mayPostpone;
  }

  override push(...errors: FieldError[]): number {
    const length = super.push(...errors);
    if (length >= maxErrors) throw new EnoughErrors(this);
    return length;
  }
}

/**
 * The next check that is collected may postpone lists. Set while `checkInSteps` starts a check and read by the first `collect` in it,
 * within one turn of the event loop: it says when members are checked, never what is found.
 */
let nextMayPostpone = false;

/** Starts a check whose outermost `collect` may postpone lists. What it answers with may hold checks that were postponed. */
export function startPostponing(check: () => readonly FieldError[]): readonly FieldError[] {
  nextMayPostpone = true;
  try {
    return check();
  } finally {
    nextMayPostpone = false;
  }
}

/**
 * Runs a check, which adds what it finds to `out`, and answers with that. The check is over as soon as it has found `maxErrors`. Checks
 * collected within it are complete when they return.
 */
export function collect(check: (out: FieldError[]) => void): FieldError[] {
  const mayPostpone = nextMayPostpone;
  const out = new CollectedErrors(mayPostpone);
  nextMayPostpone = false;
  try {
    check(out);
  } catch (error) {
    // A check within another may have filled the list of the outer one.
    if (!(error instanceof EnoughErrors) || error.errors !== out) throw error;
  } finally {
    nextMayPostpone = mayPostpone;
  }
  return Array.from(out);
}
