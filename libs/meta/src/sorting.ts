import { isStepDone, type Work } from './turns.ts';

/** The number of items sorted in one step. */
const runLength = 2_048;

type Compare<T> = (a: T, b: T) => number;

/** Sorts items. The sort is stable, and long lists are sorted in steps. */
export function* sorting<T extends NonNullable<unknown>>(items: readonly T[], compare: Compare<T>): Work<T[]> {
  let runs: T[][] = [];
  for (let start = 0; start < items.length; start += runLength) {
    if (start > 0) yield;
    runs.push(items.slice(start, start + runLength).sort(compare));
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let i = 0; i < runs.length; i += 2) merged.push(yield* merging(runs[i] ?? [], runs[i + 1] ?? [], compare));
    runs = merged;
  }
  return runs[0] ?? [];
}

function* merging<T extends NonNullable<unknown>>(
  left: readonly T[],
  right: readonly T[],
  compare: Compare<T>,
): Work<T[]> {
  const out: T[] = [];
  let taken = 0;
  for (const item of left) {
    for (let next = right[taken]; next !== undefined && compare(next, item) < 0; next = right[++taken]) {
      if (isStepDone()) yield;
      out.push(next);
    }
    if (isStepDone()) yield;
    out.push(item);
  }
  return out.concat(right.slice(taken));
}
