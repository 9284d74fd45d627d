import { randomOf } from '../random.ts';
import { aggregatedCases } from './aggregated.ts';
import { customCases } from './custom-cases.ts';
import { definitionCases } from './definition-cases.ts';
import { randomFieldCase } from './field-cases.ts';
import { headCases } from './head-cases.ts';
import { type Bench, type Measurement, namespace } from './measure.ts';
import { reviewCases, rightsCases } from './review-cases.ts';
import { largestSize, type StallCase } from './stall-case.ts';
import { storedCases } from './stored-cases.ts';
import { syntaxCases } from './syntax-cases.ts';

/** What no request may do. */
export interface Limits {
  readonly waitMs: number;
  readonly memoryMb: number;
}

/** A request above the limits. */
export interface StallFinding {
  readonly stallCase: StallCase;
  readonly size: number;
  readonly measurement: Measurement;
}

const certainWaitMs = 3_000;
const asTenant = { authorization: 'Bearer tenant' };

/** Cases that are written down, by what they grow. */
const families: readonly (readonly StallCase[])[] = [
  syntaxCases(namespace),
  headCases(namespace),
  customCases(namespace),
  storedCases(namespace),
  definitionCases,
  [...reviewCases, ...rightsCases(namespace, asTenant), ...aggregatedCases],
];

/** All written cases, and none of those that are grown at random. */
export const writtenCases = (): readonly StallCase[] => families.flat();

/** The case of a place in a run: always the same for the same seed. Half are grown from the table of types. */
export function caseAt(seed: number, index: number): StallCase {
  const random = randomOf(seed, index);
  return random.chance(0.5) ? randomFieldCase(random, namespace) : random.pick(random.pick(families));
}

export const exceeds = ({ waitMs, memoryMb, ended, outcome }: Measurement, limits: Limits): boolean =>
  waitMs > limits.waitMs || memoryMb > limits.memoryMb || ended || outcome.kind === 'unanswered';

/** No busy machine looks like this. */
const isCertain = ({ ended, outcome, waitMs }: Measurement): boolean =>
  ended || outcome.kind === 'unanswered' || waitMs > certainWaitMs;

/** Measures again what is above the limits: a machine that was busy with something else is no finding. */
export async function confirmed(
  bench: Bench,
  stallCase: StallCase,
  size: number,
  limits: Limits,
  times = 3,
): Promise<Measurement> {
  let last = await bench.measure(stallCase, size);
  for (let i = 1; i < times && exceeds(last, limits) && !isCertain(last); i++) {
    const again = await bench.measure(stallCase, size);
    last = { ...again, waitMs: Math.min(last.waitMs, again.waitMs), memoryMb: Math.min(last.memoryMb, again.memoryMb) };
  }
  return last;
}

/** Fewer parts, then a smaller size, for as long as it stays above the limits. */
export async function minimizeStall(bench: Bench, found: StallFinding, limits: Limits): Promise<StallFinding> {
  let best = found;
  const shows = async (stallCase: StallCase, size: number): Promise<boolean> => {
    const measurement = await confirmed(bench, stallCase, size, limits, 2);
    if (!exceeds(measurement, limits)) return false;
    best = { stallCase, size, measurement };
    return true;
  };
  for (let progress = true; progress;) {
    progress = false;
    for (const simpler of best.stallCase.simpler ?? []) {
      const candidate = simpler();
      if ((progress = await shows(candidate, largestSize(candidate)))) break;
    }
  }
  while (best.size > 1 && (await shows(best.stallCase, Math.floor(best.size / 2)))) continue;
  return best;
}
