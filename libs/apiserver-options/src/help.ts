import type { FlagDefinition } from './flag.ts';

const indent = '      ';

/** The sections of kube-apiserver's help before and after those of a program's own. */
const first: readonly string[] = [
  ...['Generic', 'Etcd', 'Secure serving', 'Auditing', 'Features'],
  ...['Authentication', 'Authorization', 'API enablement', 'Admission'],
];
const last: readonly string[] = ['Metrics', 'Logs', 'Traces', 'Misc', 'Global'];

/** The text of `--help`: a summary of the program, then its flags by section, in the order of kube-apiserver. */
export function helpText(name: string, summary: string, definitions: readonly FlagDefinition[]): string {
  const sections = Map.groupBy(
    definitions.filter((definition) => definition.effectIn === undefined),
    (definition) => definition.section,
  );
  const parts = [summary, '', 'Usage:', `  ${name} [flags]`];
  const own = [...sections.keys()].filter((section) => !first.includes(section) && !last.includes(section));
  for (const section of [...first, ...own, ...last]) {
    const flags = sections.get(section);
    if (flags === undefined) continue;
    parts.push('', `${section} flags:`, '');
    for (const flag of flags.toSorted((a, b) => (a.name < b.name ? -1 : 1))) parts.push(...describe(flag));
  }
  return `${parts.join('\n')}\n`;
}

function describe(flag: FlagDefinition): string[] {
  const short = flag.shorthand === undefined ? '    ' : `-${flag.shorthand}, `;
  const type = flag.type === 'bool' ? '' : ` ${flag.type}`;
  const preset = flag.default === undefined || flag.default === '' ? '' : ` (default ${flag.default})`;
  return [`  ${short}--${flag.name}${type}`, `${indent}        ${flag.usage}${preset}`];
}
