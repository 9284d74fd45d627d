import type { FieldError } from './errors.ts';

/** A check ends when it has found this many errors. kube-apiserver has no such bound. */
export const maxErrors = 10_000;

/** Thrown by a list of errors to end the check that fills it, see `collect`. */
export class EnoughErrors extends Error {
  override readonly name = 'EnoughErrors';
  readonly errors: CollectedErrors;
  constructor(errors: CollectedErrors) {
    super(`more than ${maxErrors} errors`);
    this.errors = errors;
  }
}

/** The list that a check adds its errors to. Throws EnoughErrors when it is full, after adding the last error. */
export class CollectedErrors extends Array<FieldError> {
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }

  /** Whether checks of long lists may be postponed, see `checkEach`. */
  readonly mayPostpone: boolean;
  /** Whether the list contains postponed checks. */
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
 * Whether the next `collect` may postpone lists. `checkInSteps` sets it when it starts a check, and the first `collect` in that check reads
 * it, within one turn of the event loop. It affects when members are checked, not which errors are found.
 */
let nextMayPostpone = false;

/** Starts a check whose outermost `collect` may postpone lists. The result may contain postponed checks. */
export function startPostponing(check: () => readonly FieldError[]): readonly FieldError[] {
  nextMayPostpone = true;
  try {
    return check();
  } finally {
    nextMayPostpone = false;
  }
}

/**
 * Runs a check, which adds the errors it finds to `out`, and returns the errors. The check ends as soon as it has found `maxErrors`. A
 * nested `collect` is complete when it returns.
 */
export function collect(check: (out: FieldError[]) => void): FieldError[] {
  const mayPostpone = nextMayPostpone;
  const out = new CollectedErrors(mayPostpone);
  nextMayPostpone = false;
  try {
    check(out);
  } catch (error) {
    // A nested check may have filled the list of the outer check.
    if (!(error instanceof EnoughErrors) || error.errors !== out) throw error;
  } finally {
    nextMayPostpone = mayPostpone;
  }
  return Array.from(out);
}
