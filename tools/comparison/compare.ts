import { markdownTable } from '../command/table.ts';

/** The texts that a run recorded, by step. */
export interface Recorded {
  readonly name: string;
  readonly texts: ReadonlyMap<string, string>;
}

/** Prints the differences of the texts of a run to those of a reference. Returns the number of steps that differ. */
export function compareTexts(reference: Recorded, run: Recorded): number {
  let differences = 0;
  for (const step of new Set([...reference.texts.keys(), ...run.texts.keys()])) {
    const [expected, actual] = [reference.texts.get(step), run.texts.get(step)];
    if (expected === actual) continue;
    differences += 1;
    console.log(`\n--- ${step}\n${changedLines([reference.name, expected], [run.name, actual])}`);
  }
  console.log(`\n${run.name}: ${run.texts.size} steps compared with ${reference.name}, ${differences} differ`);
  return differences;
}

/** A table of the figures of several runs. `rows` are more rows before them. */
export function figuresTable(
  runs: readonly { readonly name: string; readonly figures: ReadonlyMap<string, number> }[],
  rows: readonly (readonly string[])[] = [],
): string {
  const names = new Set(runs.flatMap(({ figures }) => [...figures.keys()]));
  const figures = [...names].map((name) => [name, ...runs.map((run) => String(run.figures.get(name) ?? ''))]);
  return markdownTable(['figure', ...runs.map(({ name }) => name)], [...rows, ...figures]);
}

type NamedText = readonly [name: string, text: string | undefined];

/** The lines that one of two different texts has more often than the other, with how often more. */
export function changedLines([nameOfA, a = 'nothing']: NamedText, [nameOfB, b = 'nothing']: NamedText): string {
  const [left, right] = [countsOf(a.split('\n')), countsOf(b.split('\n'))];
  const more = (name: string, lines: ReadonlyMap<string, number>, others: ReadonlyMap<string, number>) =>
    [...lines].flatMap(([line, count]) => {
      const added = count - (others.get(line) ?? 0);
      if (added <= 0) return [];
      return added === 1 ? [`${name}: ${line}`] : [`${name}: ${added} times ${line}`];
    });
  const lines = [...more(nameOfA, left, right), ...more(nameOfB, right, left)];
  return lines.length === 0 ? 'the same lines in another order' : lines.join('\n');
}

/** How often each text occurs. */
export function countsOf(texts: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}
