import { isStepDone, type FieldError, type Work } from '@apichain/meta';

interface Entry {
  readonly text: string;
  readonly error: FieldError;
}

/** The number of errors that one step sorts. */
const runLength = 512;

/** Sorts errors by their texts, field first. The sort is stable. Runs in steps. */
export function* sortingErrors(errors: readonly FieldError[]): Work<FieldError[]> {
  let runs: Entry[][] = [];
  for (let from = 0; from < errors.length; from += runLength) {
    const run = errors.slice(from, from + runLength);
    const entries = run.map((error): Entry => ({ text: `${error.field}: ${error.message}`, error }));
    runs.push(entries.sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0)));
    yield;
  }
  while (runs.length > 1) {
    const merged: Entry[][] = [];
    for (let i = 0; i < runs.length; i += 2) merged.push(yield* merging(runs[i] ?? [], runs[i + 1] ?? []));
    runs = merged;
  }
  return (runs[0] ?? []).map(({ error }) => error);
}

function* merging(a: readonly Entry[], b: readonly Entry[]): Work<Entry[]> {
  const merged: Entry[] = [];
  let next = 0;
  for (const entry of a) {
    for (let other = b[next]; other !== undefined && other.text < entry.text; other = b[++next]) {
      if (isStepDone()) yield;
      merged.push(other);
    }
    if (isStepDone()) yield;
    merged.push(entry);
  }
  for (; next < b.length; next++) {
    const other = b[next];
    if (other !== undefined) merged.push(other);
  }
  return merged;
}
