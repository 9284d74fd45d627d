import type { StallOptions } from './options.ts';
import { everyFieldCase } from './field-cases.ts';
import { Bench, namespace, type Measurement } from './measure.ts';
import { knownCases } from './known.ts';
import { caseAt, confirmed, exceeds, minimizeStall, writtenCases, type StallFinding } from './search.ts';
import { largestSize, sizeWithinMembers, type StallCase } from './stall-case.ts';

const rounded = (value: number): string => String(Math.round(value));

function describe(measurement: Measurement): string {
  const { outcome, ended } = measurement;
  const result = outcome.kind === 'response' ? String(outcome.status) : outcome.kind;
  const what = `${rounded(measurement.waitMs)} ms, ${rounded(measurement.memoryMb)} MB, result ${result}`;
  return ended ? `${what}, the chain ended` : what;
}

/** The number of random cases after the known cases. */
const randomAfterKnown = 5;

/** The cases of a run, in order. Random cases have no end. */
function* casesOf({ seed, known, written, only }: StallOptions): Iterable<StallCase> {
  if (only !== undefined) {
    yield* [...writtenCases(), ...everyFieldCase(namespace)].filter(({ name }) => name.includes(only));
    return;
  }
  if (known) yield* knownCases();
  if (written) yield* writtenCases();
  for (let index = 0; !known || index < randomAfterKnown; index++) yield caseAt(seed, index);
}

/** The largest size that the server reads, and the largest size that it does not refuse for its number of members, if that is smaller. */
function sizesOf(stallCase: StallCase): readonly number[] {
  const largest = largestSize(stallCase);
  const withinMembers = sizeWithinMembers(stallCase, largest);
  return withinMembers === undefined ? [largest] : [largest, withinMembers];
}

/** Searches for requests that block a service, and prints the findings. Returns the findings. */
export async function runStalls(
  options: StallOptions,
  print: (line: string) => void,
): Promise<readonly StallFinding[]> {
  const { limits, chain, seconds, cases, minimize, seed } = options;
  const end = Date.now() + seconds * 1000;
  const bench = new Bench(chain);
  const findings: StallFinding[] = [];
  let tried = 0;
  let worst = { name: '', waitMs: 0 };
  try {
    for (const stallCase of casesOf(options)) {
      if (tried >= cases || Date.now() > end) break;
      tried++;
      for (const size of sizesOf(stallCase)) {
        const measurement = await confirmed(bench, stallCase, size, limits);
        if (options.verbose) print(`${describe(measurement)}: ${stallCase.name}, size ${size}`);
        if (measurement.waitMs > worst.waitMs) worst = { name: stallCase.name, waitMs: measurement.waitMs };
        if (!exceeds(measurement, limits)) continue;
        const found = { stallCase, size, measurement };
        print(`\nheld: ${stallCase.name}\n  size ${size}: ${describe(measurement)}`);
        const small = minimize ? await minimizeStall(bench, found, limits) : found;
        if (small !== found)
          print(`  smallest: ${small.stallCase.name}\n  size ${small.size}: ${describe(small.measurement)}`);
        findings.push(small);
      }
    }
  } finally {
    await bench.stop();
  }
  print(
    `\n${tried} cases with seed ${seed}; the longest wait was ${rounded(worst.waitMs)} ms (${worst.name}); ${findings.length} above the limits`,
  );
  return findings;
}
