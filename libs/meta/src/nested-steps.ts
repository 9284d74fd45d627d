import type { Work } from './turns.ts';

/** So many members are looked at in one step. It takes about a millisecond. */
const membersPerStep = 1024;

/** More than any document has. */
const unlimited = Number.MAX_SAFE_INTEGER;

/** What work may still look at before it stops, in members of lists and objects. */
export interface StepBudget {
  left: number;
}

/**
 * Lets a function that calls itself over a nested value stop after any member, at next to no cost for a small value: a loop over members
 * asks `isStepDone` before each but the first that it comes to, and if so hands the rest of itself to `suspend` and returns. What it makes
 * is there already and is filled by and by, so nobody may look into it before all is done. The loops around it stop in turn, each before its
 * next member: everything is done in the order in which it would be done at once.
 */
export class NestedSteps {
  /** May be shared with work inside that has steps of its own. */
  readonly budget: StepBudget;
  /** Loops that were left: those of earlier steps, the innermost last, then those of the step under way, the innermost first. */
  #suspended: (() => void)[] | undefined;
  #ofEarlierSteps = 0;

  /** Without a budget all is done in one step. */
  constructor(budget: StepBudget = { left: unlimited }) {
    this.budget = budget;
  }

  isStepDone(): boolean {
    return --this.budget.left < 0;
  }

  /** `goOn` is called with the arguments. (A loop with a function in it, which sees the loop's variables, runs more slowly.) */
  suspend<Arguments extends unknown[]>(goOn: (...given: Arguments) => void, ...given: Arguments): void {
    (this.#suspended ??= []).push(() => goOn(...given));
  }

  /** Goes on until the budget is spent; answers whether all is done. */
  goOn(): boolean {
    const suspended = this.#suspended;
    if (suspended === undefined) return true;
    for (;;) {
      const left = suspended.splice(this.#ofEarlierSteps);
      for (let outer = left.pop(); outer !== undefined; outer = left.pop()) suspended.push(outer);
      const isSpent = this.budget.left <= 0;
      const next = isSpent ? undefined : suspended.pop();
      this.#ofEarlierSteps = suspended.length;
      if (next === undefined) return suspended.length === 0;
      next();
    }
  }

  /** Does something in one step, whatever it takes. */
  atOnce(work: () => void): void {
    const { left } = this.budget;
    this.budget.left = unlimited;
    work();
    this.budget.left = left;
  }
}

/** What `begin` answers, once all that it has suspended is done. */
export function* inNestedSteps<T>(steps: NestedSteps, begin: () => T, members = membersPerStep): Work<T> {
  steps.budget.left = members;
  const value = begin();
  while (!steps.goOn()) {
    yield;
    steps.budget.left = members;
  }
  return value;
}
