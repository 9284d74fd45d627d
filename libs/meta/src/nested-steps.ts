import type { Work } from './turns.ts';

/** The number of members that one step visits. It takes about a millisecond. */
const membersPerStep = 1024;

/** More members than any document has. */
const unlimited = Number.MAX_SAFE_INTEGER;

/** How many members of lists and objects the work may still visit before it stops. */
export interface StepBudget {
  left: number;
}

/**
 * Lets a recursive function over a nested value stop after any member, at almost no cost for a small value. A loop over members calls
 * `isStepDone` before each member but the first that it visits. If the step is done, the loop passes its remainder to `suspend` and
 * returns. Its result already exists and is filled step by step, so it must not be read before all work is done. The enclosing loops then
 * stop in turn, each before its next member. So the order of the work is the same as without steps.
 */
export class NestedSteps {
  /** May be shared with inner work that has its own steps. */
  readonly budget: StepBudget;
  /** The suspended loops: first those of earlier steps, the innermost last, then those of the current step, the innermost first. */
  #suspended: (() => void)[] | undefined;
  #ofEarlierSteps = 0;

  /** Without a budget, all work is done in one step. */
  constructor(budget: StepBudget = { left: unlimited }) {
    this.budget = budget;
  }

  isStepDone(): boolean {
    return --this.budget.left < 0;
  }

  /** Calls `goOn` later with the arguments. A closure over the variables of the loop would make the loop slower. */
  suspend<Arguments extends unknown[]>(goOn: (...given: Arguments) => void, ...given: Arguments): void {
    (this.#suspended ??= []).push(() => goOn(...given));
  }

  /** Continues until the budget is spent. Returns whether all work is done. */
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

  /** Runs `work` in one step, regardless of the budget. */
  atOnce(work: () => void): void {
    const { left } = this.budget;
    this.budget.left = unlimited;
    work();
    this.budget.left = left;
  }
}

/** Returns the result of `begin` when all work that it has suspended is done. */
export function* inNestedSteps<T>(steps: NestedSteps, begin: () => T, members = membersPerStep): Work<T> {
  steps.budget.left = members;
  const value = begin();
  while (!steps.goOn()) {
    yield;
    steps.budget.left = members;
  }
  return value;
}
