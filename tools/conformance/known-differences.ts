import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { Difference } from './compare.ts';

/** A difference, and where it was found. */
export interface PlacedDifference extends Difference {
  readonly scenario: string;
  readonly step: string;
}

/** Differences that have one cause, and why they stay. */
export interface KnownDifference {
  readonly name: string;
  readonly reason: string;
  /** Exactly these: another value at the same place is unexpected, and one that is not found is gone. */
  readonly differences: readonly PlacedDifference[];
}

/** The differences of one chain, sorted out. */
export interface Verdict {
  readonly known: readonly { readonly name: string; readonly difference: PlacedDifference }[];
  readonly unexpected: readonly PlacedDifference[];
  /** Known differences of the scenarios that ran which were not found. */
  readonly gone: readonly { readonly name: string; readonly difference: PlacedDifference }[];
}

/** Reads a file of known differences: a JSON array of KnownDifference. Throws Error when it is not there or not JSON. */
export function readKnownDifferences(file: string): readonly KnownDifference[] {
  return JSON.parse(readFileSync(file, 'utf8')) as readonly KnownDifference[];
}

/** Finds each difference among the known ones. `scenarios` names those that ran: others' differences are not expected. */
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
