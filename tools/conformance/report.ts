import type { KnownDifference, PlacedDifference, Verdict } from './known-differences.ts';
import { markdownTable } from '../command/table.ts';
import { areas, type Area } from './scenario.ts';

/** One server of a comparison. */
export interface ComparedServer {
  readonly name: string;
  /** The version from `/version`, e.g. `v1.36.2`. */
  readonly version: string;
}

export interface AreaCounts {
  readonly scenarios: number;
  readonly steps: number;
  /** The number of steps without any difference. */
  readonly same: number;
  /** The number of differences. A step may have several. */
  readonly known: number;
  readonly unexpected: number;
}

export interface ChainReport extends ComparedServer, Verdict {
  readonly areas: Readonly<Partial<Record<Area, AreaCounts>>>;
}

export interface Report {
  readonly reference: ComparedServer;
  readonly chains: readonly ChainReport[];
}

/** The scenarios that ran, with the names of their steps. Used for the counts. */
export type Ran = readonly { readonly area: Area; readonly name: string; readonly steps: readonly string[] }[];

/** Counts the steps and differences of each area. */
export function countByArea(ran: Ran, verdict: Verdict): Partial<Record<Area, AreaCounts>> {
  const stepOf = ({ scenario, step }: PlacedDifference) => JSON.stringify([scenario, step]);
  const known = verdict.known.map(({ difference }) => difference);
  const different = new Set([...known, ...verdict.unexpected].map(stepOf));
  const counts: Partial<Record<Area, AreaCounts>> = {};
  for (const area of areas) {
    const scenarios = ran.filter((scenario) => scenario.area === area);
    if (scenarios.length === 0) continue;
    const names = new Set(scenarios.map(({ name }) => name));
    const steps = scenarios.flatMap(({ name, steps }) => steps.map((step) => JSON.stringify([name, step])));
    counts[area] = {
      scenarios: scenarios.length,
      steps: steps.length,
      same: steps.filter((step) => !different.has(step)).length,
      known: known.filter(({ scenario }) => names.has(scenario)).length,
      unexpected: verdict.unexpected.filter(({ scenario }) => names.has(scenario)).length,
    };
  }
  return counts;
}

/** True if exactly the known differences were found. */
export const isAsExpected = ({ chains }: Report): boolean =>
  chains.every(({ unexpected, gone }) => unexpected.length === 0 && gone.length === 0);

/** The report as Markdown: counts, then the known differences with their reasons, then the unexpected differences. */
export function toMarkdown(report: Report, known: readonly KnownDifference[]): string {
  const { reference, chains } = report;
  const sections = [
    `# Conformance\n\nReference: ${reference.name}, ${reference.version}. Compared: ${chains.map(({ name, version }) => `${name} (${version})`).join(', ')}.`,
    ...chains.map((chain) => `## ${chain.name}\n\n${countsTable(chain)}`),
    knownSection(report, known),
    ...chains.flatMap(({ name, unexpected, gone }) => [
      listOf(`Unexpected differences of ${name}`, unexpected),
      listOf(
        `Known differences of ${name} that are gone`,
        gone.map(({ difference }) => difference),
      ),
    ]),
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

/** The counts of one chain as a Markdown table. */
export function countsTable({ areas: byArea }: Pick<ChainReport, 'areas'>): string {
  const columns = ['scenarios', 'steps', 'same', 'known', 'unexpected'] as const;
  const titles = ['scenarios', 'steps', 'steps without a difference', 'known differences', 'unexpected differences'];
  const rows = Object.entries(byArea).map(([area, counts]) => [area, ...columns.map((name) => String(counts[name]))]);
  const total = columns.map((name) => String(Object.values(byArea).reduce((sum, counts) => sum + counts[name], 0)));
  return markdownTable(['area', ...titles], [...rows, ['all', ...total]]);
}

function knownSection({ chains }: Report, known: readonly KnownDifference[]): string {
  const found = known.filter(({ name }) => chains.some((chain) => chain.known.some((entry) => entry.name === name)));
  if (found.length === 0) return '';
  const items = found.map(({ name, reason, differences }) => {
    const places = new Set(differences.map(({ scenario, step }) => `\`${scenario}\`, ${step}`));
    const shown = [...places].slice(0, 3).join('; ');
    const more = places.size > 3 ? `; and ${places.size - 3} more steps` : '';
    return `- **${name}** (${differences.length}): ${reason}\n  Where: ${shown}${more}.`;
  });
  return `## Known differences\n\n${items.join('\n')}`;
}

function listOf(title: string, differences: readonly PlacedDifference[]): string {
  if (differences.length === 0) return '';
  return `## ${title}\n\n\`\`\`text\n${differences.map(toText).join('\n')}\n\`\`\``;
}

/** A difference as a few lines of text. */
export function toText({ scenario, step, path, ...values }: PlacedDifference): string {
  const side = (name: 'reference' | 'chain') => (name in values ? JSON.stringify(values[name]) : '(nothing)');
  return `${scenario}: ${step}: ${path}\n  reference ${side('reference')}\n  chain     ${side('chain')}`;
}
