import { compareTexts, figuresTable, type Recorded } from '../../comparison/compare.ts';
import type { Recording } from '../../comparison/recording.ts';
import { sum } from './requests.ts';

/** What one step of a session took. */
export interface Phase {
  readonly session: string;
  readonly step: string;
  readonly seconds: number;
  /** Of the API server's processes. */
  readonly processorSeconds: number;
  /** Of the API server's processes, at the end. */
  readonly memoryMiB: number;
  readonly requests: ReadonlyMap<string, number>;
}

/** All sessions against one API server. */
export interface Run {
  readonly name: string;
  /** Whose controllers ran. Different ones name ReplicaSets by different hashes of the same template. */
  readonly controllers: 'go' | 'apichain';
  readonly record: Recording;
  readonly phases: readonly Phase[];
  /** Errors in the log of each controller, with how often each occurs. */
  readonly errors: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

/** Prints the differences to the first run, and a table of all figures. Returns the exit code. */
export function compareRuns(runs: readonly Run[]): number {
  const [reference, ...others] = runs;
  if (reference === undefined) return 2;
  let differences = 0;
  for (const run of others) {
    const compared = reference.controllers === run.controllers ? textsOf : textsWithoutHashes;
    compareErrors(reference, run);
    compareStatuses(reference, run);
    differences += compareTexts(compared(reference), compared(run));
  }
  const phases = reference.phases.map(({ session, step }, index) => [
    `${session}: ${step}`,
    ...runs.map((run) => cellOf(run.phases[index])),
  ]);
  console.log(
    `\n${figuresTable(
      runs.map(({ name, record }) => ({ name, figures: record.figures })),
      phases,
    )}`,
  );
  return differences === 0 ? 0 : 1;
}

function cellOf(phase: Phase | undefined): string {
  if (phase === undefined) return '';
  const { seconds, processorSeconds, memoryMiB, requests } = phase;
  return `${seconds.toFixed(1)} s, ${processorSeconds.toFixed(1)} s processor, ${memoryMiB.toFixed(0)} MiB, ${sum(requests)} requests`;
}

const textsOf = ({ name, record }: Run): Recorded => ({ name, texts: record.texts });

/** Objects are sorted by their text, and so by their hashes. */
const textsWithoutHashes = ({ name, record }: Run): Recorded => ({
  name,
  texts: new Map(
    [...record.texts].map(([step, text]) => [step, withoutTemplateHashes(text).split('\n').toSorted().join('\n')]),
  ),
});

/** A text with the hash of each template, and the names of ReplicaSets that end with it, replaced. */
export function withoutTemplateHashes(text: string): string {
  return text
    .replaceAll(/("(?:pod-template|controller-revision)-hash": ")[bcdfghjklmnpqrstvwxz2456789]+/g, '$1HASH')
    .replaceAll(/\b(again|many|web)-[bcdfghjklmnpqrstvwxz2456789]{6,10}\b/g, '$1-HASH');
}

/** Errors that a controller logged here and never with the reference. They are for a reader: which of them occur differs from run to run. */
function compareErrors(reference: Run, run: Run): void {
  for (const [program, errors] of run.errors) {
    const known = reference.errors.get(program) ?? new Map<string, number>();
    console.log(
      `\n${program}: ${sum(errors)} errors in the log with ${run.name}, ${sum(known)} with ${reference.name}`,
    );
    for (const [error, count] of errors)
      if (!known.has(error)) console.log(`  only ${run.name}: ${count} times ${error}`);
  }
}

/** Statuses of 400 and above that only this server returned. */
function compareStatuses(reference: Run, run: Run): void {
  const refusals = ({ phases }: Run) =>
    new Set(phases.flatMap(({ requests }) => [...requests.keys()].filter((key) => / [45]\d\d$/.test(key))));
  const known = refusals(reference);
  const only = [...refusals(run)].filter((key) => !known.has(key));
  if (only.length > 0) console.log(`\nerror statuses of ${run.name} alone: ${only.toSorted().join(', ')}`);
}
