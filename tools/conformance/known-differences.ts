import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { Difference } from './compare.ts';

/** A difference, with its scenario and step. */
export interface PlacedDifference extends Difference {
  readonly scenario: string;
  readonly step: string;
}

/** Differences with a common cause, and the reason why they are accepted. */
export interface KnownDifference {
  readonly name: string;
  readonly reason: string;
  /** The exact differences: another value at the same place is unexpected, and a difference that is not found is gone. */
  readonly differences: readonly PlacedDifference[];
}

/** The classified differences of one chain. */
export interface Verdict {
  readonly known: readonly { readonly name: string; readonly difference: PlacedDifference }[];
  readonly unexpected: readonly PlacedDifference[];
  /** Known differences that were not found in the scenarios that ran. */
  readonly gone: readonly { readonly name: string; readonly difference: PlacedDifference }[];
}

/** Reads a file of known differences: a JSON array of KnownDifference. Throws Error when the file does not exist or is not JSON. */
export function readKnownDifferences(file: string): readonly KnownDifference[] {
  return JSON.parse(readFileSync(file, 'utf8')) as readonly KnownDifference[];
}

/**
 * Classifies the differences found. `scenarios` contains the names of the scenarios that ran; known differences of other scenarios are not
 * expected.
 */
export function judge(
  found: readonly PlacedDifference[],
  known: readonly KnownDifference[],
  scenarios: ReadonlySet<string>,
): Verdict {
  const expected = known.flatMap(({ name, differences }) => differences.map((difference) => ({ name, difference })));
  const byPlace = Map.groupBy(expected, ({ difference }) => placeOf(difference));
  const knownName = (difference: PlacedDifference) =>
    byPlace.get(placeOf(difference))?.find((entry) => isDeepStrictEqual(entry.difference, difference))?.name;
  const named = found.map((difference) => ({ name: knownName(difference), difference }));
  const foundAt = Map.groupBy(found, placeOf);
  return {
    known: named.flatMap(({ name, difference }) => (name === undefined ? [] : [{ name, difference }])),
    unexpected: named.flatMap(({ name, difference }) => (name === undefined ? [difference] : [])),
    gone: expected.filter(
      ({ difference }) =>
        scenarios.has(difference.scenario) &&
        !(foundAt.get(placeOf(difference)) ?? []).some((other) => isDeepStrictEqual(other, difference)),
    ),
  };
}

const placeOf = ({ scenario, step, path }: PlacedDifference) => JSON.stringify([scenario, step, path]);
