/**
 * Checks of long lists, cut into steps so that other requests run in between (see `turns.ts`).
 *
 * A check is a plain function that adds to a list of errors, as in Go, because generators all the way down would cost every small object:
 *
 *     const check = () =>
 *       collect((out) => {
 *         out.push(required('spec.type'));
 *         checkEach(out, spec.ports, (found, port, i) => checkPort(found, port, index('spec.ports', i)));
 *         out.push(required('spec.zone'));
 *       });
 *
 * Called as it is, it checks all ports before it returns. With `checkInSteps(check)` and thousands of ports, `checkEach` does not look at
 * them. It postpones their check: a `PostponedCheck` takes the place of what it would find, and the function goes on to its end:
 *
 *     [ spec.type, PostponedCheck(ports), spec.zone ]
 *
 * Then `checkInSteps` goes through that list. It passes errors on, and runs what was postponed, some members at a time, with a `yield` in
 * between. So the errors are the same, in the same order, as at once:
 *
 *     [ spec.type, spec.ports[7], spec.ports[4711], spec.zone ]
 *
 * What was postponed runs after the code that stands behind it. Two things follow. Once a list is postponed, every later `checkEach` of the
 * same `out` is postponed too, however short, so that the members of all lists are checked in the order of the calls and may share what they
 * remember, such as a set of names. And code that needs what a list remembered, or what was found in it, stands in `checkAfterwards`.
 */
import { isStepDone, type Work } from '../turns.ts';
import { collect, CollectedErrors, EnoughErrors, startPostponing } from './collect.ts';
import type { FieldError } from './errors.ts';

/** Lists with no more members than this are checked at once. */
const maxMembersAtOnce = 256;

/** Adds what is wrong with a member of a list to `out`, which is not always that of the check around it. */
export type MemberCheck<T> = (out: FieldError[], item: T, position: number) => void;

/** The check of a list that was postponed. It stands among errors at the place of what it will find, and is none. */
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

  /** Adds what it finds to `out`. Lists of members may be postponed in turn; they run before the next member. */
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

/** Adds errors to `out`, and what comes of the checks among them that were postponed. */
function* addAll(out: FieldError[], found: readonly FieldError[]): Work<void> {
  for (const error of found) {
    if (error instanceof PostponedCheck) yield* error.run(out);
    else out.push(error);
  }
}

/**
 * Checks the members of a list, at once or, in a check that `checkInSteps` runs, after it: always in the order of the calls. Whatever
 * else needs to know what was found or remembered uses `checkAfterwards`.
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

/** Runs a check after all lists before it. */
export const checkAfterwards = (out: FieldError[], check: (out: FieldError[]) => void): void =>
  checkEach(out, [undefined], check);

/** Runs checks one after the other, long lists (see `checkEach`) in steps. Answers with what they find, up to `maxErrors`. */
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
    // A single member may have more errors than are collected.
    if (error.errors !== out) return [...out, ...error.errors.filter((each) => !(each instanceof PostponedCheck))];
  }
  return Array.from(out);
}

/** What `check` finds of each item, up to the same bound. */
export const collectEach = <T>(
  items: readonly T[],
  check: (item: T, position: number) => readonly FieldError[],
): FieldError[] =>
  collect((out) => checkEach(out, items, (found, item, position) => void found.push(...check(item, position))));
