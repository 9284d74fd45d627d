import { field, type FieldError } from '@apichain/meta';
import type { Correlation } from './correlation.ts';

/** One violated keyword. `name` is the dotted path from the validated root; undefined for those that carry no path. */
export interface Failure {
  /** The whole text; equal texts are reported once. */
  readonly text: string;
  readonly name?: string;
  readonly build: (field: string) => FieldError;
}

/** What a validation run has found, and how many checks passed: `anyOf` and `oneOf` explain the alternative that came closest. */
export interface Outcome {
  readonly failures: Failure[];
  matches: number;
  /** The member about to be checked is a whole number that was written as a float; set for every number in a container. */
  isFloat?: boolean;
}

/** Checks one value; `name` is its dotted path from the root of the validation, '' at the root. */
export type Check = (value: unknown, name: string, out: Outcome, correlation: Correlation | undefined) => void;

export const newOutcome = (): Outcome => ({ failures: [], matches: 0 });

/** So many failures of one object are noted: an answer with all that a large one may have would be many times its size. */
const maxFailures = field.maxErrors + 1;

/** Whether more failures would not be noted. */
export const isFull = ({ failures }: Outcome): boolean => failures.length >= maxFailures;

export function report(out: Outcome, failure: Failure): void {
  if (!isFull(out)) out.failures.push(failure);
}

export function mergeOutcome(into: Outcome, other: Outcome): void {
  for (const failure of other.failures) report(into, failure);
  into.matches += other.matches;
}

/** A failure of the value as a whole, reported at the root of the validation. */
export const composite = (text: string): Failure => ({ text, build: (at) => field.invalid(at, '', text) });

/**
 * The failures as field errors below `path` ('' = the root, where failures without a path are reported at `<nil>`).
 */
export function fieldErrors(outcome: Outcome, path: string): FieldError[] {
  const seen = new Set<string>();
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const failure of outcome.failures) {
    if (seen.has(failure.text)) continue;
    seen.add(failure.text);
    // What does not fit into an answer is not worked out.
    if (bytes > field.maxShownText) break;
    bytes += failure.text.length;
    errors.push(failure.build(fieldOf(failure.name, path)));
  }
  return errors;
}

function fieldOf(name: string | undefined, path: string): string {
  const relative = name === undefined ? '' : name.replace(/^\./, '');
  if (relative === '') return path === '' ? '<nil>' : path;
  return field.child(path, relative);
}
