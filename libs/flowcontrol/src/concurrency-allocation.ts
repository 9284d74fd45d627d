/** One class that seats are allocated to. `lower <= target`, `lower <= upper`. */
export interface AllocationClass {
  readonly lower: number;
  readonly upper: number;
  readonly target: number;
}

const smallestTarget = 0.001;
const rounds = 100;

const clamp = ({ lower, upper, target }: AllocationClass, proportion: number): number =>
  Math.max(lower, Math.min(upper, proportion * Math.max(target, smallestTarget)));

/**
 * Allocates `sum` seats. Each class gets the same proportion of its target, unless a bound limits it (KEP-1040, "Dispatching: computing the
 * current limits"). Undefined when the bounds do not allow the sum.
 */
export function allocate(
  sum: number,
  classes: readonly AllocationClass[],
): { readonly allotments: readonly number[]; readonly fairFraction: number } | undefined {
  const total = (of: (item: AllocationClass) => number) => classes.reduce((so, item) => so + of(item), 0);
  const slack = 1e-7;
  if (total(({ lower }) => lower) > sum + slack || total(({ upper }) => upper) < sum - slack) return undefined;
  let low = 0;
  let high = Math.max(1, ...classes.map(({ upper, target }) => upper / Math.max(target, smallestTarget)));
  // The total grows with the proportion, so bisection finds the proportion to the last bit.
  for (let i = 0; i < rounds && low < high; i++) {
    const middle = (low + high) / 2;
    if (total((item) => clamp(item, middle)) < sum) low = middle;
    else high = middle;
  }
  return { allotments: classes.map((item) => clamp(item, high)), fairFraction: high };
}
