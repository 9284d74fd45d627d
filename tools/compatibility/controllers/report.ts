import type { Record } from '../record.ts';
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
  readonly record: Record;
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
    differences += compareTexts(reference, run);
    compareErrors(reference, run);
    compareAnswers(reference, run);
    console.log(`\n${run.name}: ${run.record.texts.size} steps compared with ${reference.name}`);
  }
  console.log(`\n| session | step | ${runs.map(({ name }) => name).join(' | ')} |`);
  console.log(`|---|---|${runs.map(() => '---|').join('')}`);
  reference.phases.forEach((phase, index) => {
    const cells = runs.map(({ phases }) => cellOf(phases[index]));
    console.log(`| ${phase.session} | ${phase.step} | ${cells.join(' | ')} |`);
  });
  for (const figure of new Set(runs.flatMap(({ record }) => [...record.figures.keys()])))
    console.log(`| ${figure} | | ${runs.map(({ record }) => record.figures.get(figure)).join(' | ')} |`);
  return differences === 0 ? 0 : 1;
}

function cellOf(phase: Phase | undefined): string {
  if (phase === undefined) return '';
  const { seconds, processorSeconds, memoryMiB, requests } = phase;
  return `${seconds.toFixed(1)} s, ${processorSeconds.toFixed(1)} s processor, ${memoryMiB.toFixed(0)} MiB, ${sum(requests)} requests`;
}

function compareTexts(reference: Run, run: Run): number {
  let differences = 0;
  const shown = reference.controllers === run.controllers ? (text: string) => text : withoutTemplateHashes;
  for (const step of new Set([...reference.record.texts.keys(), ...run.record.texts.keys()])) {
    const [expected, actual] = [reference, run].map(({ record }) => {
      const text = record.texts.get(step);
      return text === undefined ? undefined : shown(text);
    });
    if (expected === actual) continue;
    const changed = changedLines([reference.name, expected], [run.name, actual]);
    // Objects are sorted by their text, and so by their hashes.
    if (changed === '' && shown === withoutTemplateHashes) continue;
    differences += 1;
    console.log(`\n--- ${step}\n${changed}`);
  }
  return differences;
}

/** A text with the hash of each template, and the names of ReplicaSets that end with it, replaced. */
export function withoutTemplateHashes(text: string): string {
  return text
    .replaceAll(/("(?:pod-template|controller-revision)-hash": ")[bcdfghjklmnpqrstvwxz2456789]+/g, '$1HASH')
    .replaceAll(/\b(again|many|web)-[bcdfghjklmnpqrstvwxz2456789]{6,10}\b/g, '$1-HASH');
}

type NamedText = readonly [name: string, text: string | undefined];

/** The lines that one of two texts has more often than the other, with how often more. */
export function changedLines([nameOfA, a = 'nothing']: NamedText, [nameOfB, b = 'nothing']: NamedText): string {
  const [left, right] = [countsOf(a.split('\n')), countsOf(b.split('\n'))];
  const more = (name: string, lines: Counts, others: Counts) =>
    [...lines].flatMap(([line, count]) => {
      const added = count - (others.get(line) ?? 0);
      if (added <= 0) return [];
      return added === 1 ? [`${name}: ${line}`] : [`${name}: ${added} times ${line}`];
    });
  return [...more(nameOfA, left, right), ...more(nameOfB, right, left)].join('\n');
}

type Counts = ReadonlyMap<string, number>;

function countsOf(lines: readonly string[]): Counts {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
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

/** Answers of 400 and above that only this server gave. */
function compareAnswers(reference: Run, run: Run): void {
  const refusals = ({ phases }: Run) =>
    new Set(phases.flatMap(({ requests }) => [...requests.keys()].filter((key) => / [45]\d\d$/.test(key))));
  const known = refusals(reference);
  const only = [...refusals(run)].filter((key) => !known.has(key));
  if (only.length > 0) console.log(`\nanswers of ${run.name} alone: ${only.toSorted().join(', ')}`);
}
