import { field, type FieldError } from '@apichain/meta';
import type { Correlation } from './correlation.ts';

/** One violated keyword. `name` is the dotted path from the validated root; undefined for failures without a path. */
export interface Failure {
  /** The whole text. Equal texts are reported once. */
  readonly text: string;
  readonly name?: string;
  readonly build: (field: string) => FieldError;
}

/** The failures of a validation, and the number of checks that passed: `anyOf` and `oneOf` report the alternative that passed the most. */
export interface Outcome {
  readonly failures: Failure[];
  matches: number;
  /** Whether the next member to check is a whole number written as a float; set for every number in a container. */
  isFloat?: boolean;
}

/** Checks one value; `name` is its dotted path from the root of the validation, '' at the root. */
export type Check = (value: unknown, name: string, out: Outcome, correlation: Correlation | undefined) => void;

export const newOutcome = (): Outcome => ({ failures: [], matches: 0 });

/** The most failures recorded for one object. A response with all failures of a large object would be many times larger than it. */
const maxFailures = field.maxErrors + 1;

/** Whether the limit is reached, so that further failures are not recorded. */
export const isFull = ({ failures }: Outcome): boolean => failures.length >= maxFailures;

export function report(out: Outcome, failure: Failure): void {
  if (!isFull(out)) out.failures.push(failure);
}

export function mergeOutcome(into: Outcome, other: Outcome): void {
  for (const failure of other.failures) report(into, failure);
  into.matches += other.matches;
}

/** A failure of the whole value, reported at the root of the validation. */
export const composite = (text: string): Failure => ({ text, build: (at) => field.invalid(at, '', text) });

/** The failures as field errors below `path` ('' = the root, where failures without a path are reported at `<nil>`). */
export function fieldErrors(outcome: Outcome, path: string): FieldError[] {
  const seen = new Set<string>();
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const failure of outcome.failures) {
    if (seen.has(failure.text)) continue;
    seen.add(failure.text);
    // Failures that do not fit into the response are not built.
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
