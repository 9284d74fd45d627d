/**
 * Checks of long lists, cut into steps so that other requests run in between (see `turns.ts`).
 *
 * A check is a plain function that adds to a list of errors, as in Go. Generators at every level would slow down the checks of small
 * objects:
 *
 *     const check = () =>
 *       collect((out) => {
 *         out.push(required('spec.type'));
 *         checkEach(out, spec.ports, (found, port, i) => checkPort(found, port, index('spec.ports', i)));
 *         out.push(required('spec.zone'));
 *       });
 *
 * A direct call checks all ports before it returns. With `checkInSteps(check)` and thousands of ports, `checkEach` does not check the
 * ports. It adds a `PostponedCheck` to the list of errors, in the place of the errors of the ports, and the function continues to its end:
 *
 *     [ spec.type, PostponedCheck(ports), spec.zone ]
 *
 * Then `checkInSteps` goes through that list. It passes errors on and runs the postponed checks, some members at a time, with a `yield` in
 * between. The errors and their order are the same as for a direct call:
 *
 *     [ spec.type, spec.ports[7], spec.ports[4711], spec.zone ]
 *
 * A postponed check runs after the code that follows it. This has two consequences. Once a list is postponed, every later `checkEach` of
 * the same `out` is postponed too, however short its list is. So the members of all lists are checked in the order of the calls and may
 * share state, such as a set of names. Code that needs this state, or the errors found in a list, must run in `checkAfterwards`.
 */
import { isStepDone, type Work } from '../turns.ts';
import { collect, CollectedErrors, EnoughErrors, startPostponing } from './collect.ts';
import type { FieldError } from './errors.ts';

/** Lists with at most this many members are checked at once. */
const maxMembersAtOnce = 256;

/** Adds the errors of a list member to `out`, which may differ from the `out` of the enclosing check. */
export type MemberCheck<T> = (out: FieldError[], item: T, position: number) => void;

/** The postponed check of a list. It is not an error: it stands among the errors in the place of those that it will find. */
class PostponedCheck<T> implements FieldError {
  readonly reason = 'InternalError';
  readonly field = '';
  readonly #items: readonly T[];
  readonly #check: MemberCheck<T>;

  constructor(items: readonly T[], check: MemberCheck<T>) {
    this.#items = items;
    this.#check = check;
  }

  get message(): string {
    throw new Error('a check that was postponed was taken for an error');
  }

  /** Adds the errors that it finds to `out`. Lists in the members may be postponed too. Their checks run before the next member. */
  *run(out: FieldError[]): Work<void> {
    let found = new CollectedErrors(true);
    let position = 0;
    for (const item of this.#items) {
      this.#check(found, item, position++);
      if (found.length > 0) {
        yield* addAll(out, found);
        found = new CollectedErrors(true);
      }
      if (isStepDone()) yield;
    }
  }
}

/** Adds errors to `out`. Runs the postponed checks among them and adds the errors that these find. */
function* addAll(out: FieldError[], found: readonly FieldError[]): Work<void> {
  for (const error of found) {
    if (error instanceof PostponedCheck) yield* error.run(out);
    else out.push(error);
  }
}

/**
 * Checks the members of a list: at once, or later if `checkInSteps` runs the enclosing check. The order is always that of the calls. Code
 * that needs the errors found, or the state that the checks share, uses `checkAfterwards`.
 */
export function checkEach<T>(out: FieldError[], items: readonly T[], check: MemberCheck<T>): void {
  if (out instanceof CollectedErrors && out.mayPostpone && (out.hasPostponed || items.length > maxMembersAtOnce)) {
    out.push(new PostponedCheck(items, check));
    out.hasPostponed = true;
    return;
  }
  let position = 0;
  for (const item of items) check(out, item, position++);
}

/** Runs a check after the checks of all earlier lists. */
export const checkAfterwards = (out: FieldError[], check: (out: FieldError[]) => void): void =>
  checkEach(out, [undefined], check);

/** Runs checks one after the other, long lists (see `checkEach`) in steps. Returns the errors found, at most `maxErrors`. */
export function* checkInSteps(...checks: readonly (() => readonly FieldError[])[]): Work<FieldError[]> {
  const out = new CollectedErrors(false);
  try {
    for (const [i, check] of checks.entries()) {
      if (i > 0) yield;
      const found = startPostponing(check);
      if (found.length > 0) yield* addAll(out, found);
    }
  } catch (error) {
    if (!(error instanceof EnoughErrors)) throw error;
    // A single member may have more errors than the limit.
    if (error.errors !== out) return [...out, ...error.errors.filter((each) => !(each instanceof PostponedCheck))];
  }
  return Array.from(out);
}

/** The errors that `check` finds in each item, at most `maxErrors`. */
export const collectEach = <T>(
  items: readonly T[],
  check: (item: T, position: number) => readonly FieldError[],
): FieldError[] =>
  collect((out) => checkEach(out, items, (found, item, position) => void found.push(...check(item, position))));
