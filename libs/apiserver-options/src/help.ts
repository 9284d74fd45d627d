import type { FlagDefinition } from './flag.ts';

const indent = '      ';

/** The text of `--help`: a summary of the program, then its flags by section. */
export function helpText(name: string, summary: string, definitions: readonly FlagDefinition[]): string {
  const sections = Map.groupBy(
    definitions.filter((definition) => definition.ignored !== true),
    (definition) => definition.section,
  );
  const parts = [summary, '', 'Usage:', `  ${name} [flags]`];
  for (const [section, flags] of sections) {
    parts.push('', `${section} flags:`, '');
    for (const flag of [...flags].sort((a, b) => (a.name < b.name ? -1 : 1))) parts.push(...describe(flag));
  }
  return `${parts.join('\n')}\n`;
}

function describe(flag: FlagDefinition): string[] {
  const short = flag.shorthand === undefined ? '    ' : `-${flag.shorthand}, `;
  const type = flag.type === 'bool' ? '' : ` ${flag.type}`;
  const preset = flag.default === undefined || flag.default === '' ? '' : ` (default ${flag.default})`;
  return [`  ${short}--${flag.name}${type}`, `${indent}        ${flag.usage}${preset}`];
}
