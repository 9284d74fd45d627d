import { randomOf, type Random } from '../random.ts';
import { aggregatedCases } from './aggregated.ts';
import { consultedCases } from './consulted-cases.ts';
import { customCases } from './custom-cases.ts';
import { definitionCases } from './definition-cases.ts';
import { randomFieldCase } from './field-cases.ts';
import { headCases } from './head-cases.ts';
import { type Bench, type Measurement, namespace } from './measure.ts';
import { randomReadCase, readCases } from './read-cases.ts';
import { reviewCases, rightsCases } from './review-cases.ts';
import { largestSize, type StallCase } from './stall-case.ts';
import { storedCases } from './stored-cases.ts';
import { syntaxCases } from './syntax-cases.ts';

/** The limits that no request may exceed. */
export interface Limits {
  readonly waitMs: number;
  readonly memoryMb: number;
}

/** A request that exceeds the limits. */
export interface StallFinding {
  readonly stallCase: StallCase;
  readonly size: number;
  readonly measurement: Measurement;
}

const certainWaitMs = 3_000;
/** Reads need much stored data, which takes seconds to write. */
const shareOfReads = 0.1;
/** Requests that are sent many times at once take long. */
const shareOfParallel = 0.2;
const shareOfHttp2 = 0.3;
const asTenant = { authorization: 'Bearer tenant' };

/** The written cases, by what is large in them. */
const families: readonly (readonly StallCase[])[] = [
  syntaxCases(namespace),
  headCases(namespace),
  customCases(namespace),
  storedCases(namespace),
  consultedCases(namespace),
  definitionCases,
  readCases(namespace),
  [...reviewCases, ...rightsCases(namespace, asTenant), ...aggregatedCases],
];

/** All written cases, without random cases. */
export const writtenCases = (): readonly StallCase[] => families.flat();

/** The case at an index of a run. The same seed always gives the same case. Half of the others come from the table of types. */
export function caseAt(seed: number, index: number): StallCase {
  const random = randomOf(seed, index);
  const found = http1CaseAt(random);
  return random.chance(shareOfHttp2) ? overHttp2(found) : found;
}

function http1CaseAt(random: Random): StallCase {
  if (random.chance(shareOfReads)) return randomReadCase(random, namespace);
  const found = random.chance(0.5) ? randomFieldCase(random, namespace) : random.pick(random.pick(families));
  return random.chance(shareOfParallel) ? inParallel(found, random.pick([2, 8, 24])) : found;
}

/** Headers that a request over HTTP/2 must not have. */
const http1Headers = ['connection', 'te', 'upgrade'] as const;

/** The same case over HTTP/2, where it can be sent so. */
function overHttp2(stallCase: StallCase): StallCase {
  const { name, request, simpler = [] } = stallCase;
  const { headers } = request(1);
  if (http1Headers.some((header) => header in headers)) return stallCase;
  return {
    ...stallCase,
    name: `${name}, HTTP/2`,
    http2: true,
    simpler: [() => stallCase, ...simpler.map((simplerOf) => () => overHttp2(simplerOf()))],
  };
}

/** The same case, sent several times at once by the same user. */
function inParallel(stallCase: StallCase, parallel: number): StallCase {
  const { name, simpler = [] } = stallCase;
  return {
    ...stallCase,
    name: `${name} x ${parallel}`,
    parallel,
    simpler: [() => stallCase, ...simpler.map((simplerOf) => () => inParallel(simplerOf(), parallel))],
  };
}

export const exceeds = ({ waitMs, memoryMb, ended, outcome }: Measurement, limits: Limits): boolean =>
  waitMs > limits.waitMs || memoryMb > limits.memoryMb || ended || outcome.kind === 'timeout';

/** Whether a busy machine cannot be the cause. */
const isCertain = ({ ended, outcome, waitMs }: Measurement): boolean =>
  ended || outcome.kind === 'timeout' || waitMs > certainWaitMs;

/** Repeats a measurement that exceeds the limits, because the machine may have been busy with other work. */
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

/** Removes parts, then reduces the size, as long as the case exceeds the limits. */
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
