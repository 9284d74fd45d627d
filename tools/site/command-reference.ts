import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Command } from '../../apps/apichain/src/commands/command.ts';
import { commands } from '../../apps/apichain/src/commands/table.ts';
import { plain, table } from './markdown.ts';

/** Writes the page of all commands, from the table that help, completion and the parser use. */
export function writeCommandReference(file: string): void {
  const rows = commands.map(({ name, summary }) => [`[\`${name}\`](#apichain-${name})`, plain(summary)]);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(
    file,
    `# Commands

\`apichain COMMAND --help\` prints what this page says of a command.

${table(['command', 'what it does'], rows)}

${commands.map(sectionOf).join('\n\n')}
`,
  );
}

function sectionOf({ name, usage, summary, description, flags, examples }: Command): string {
  const parts = [
    `## apichain ${name}`,
    `${plain(summary)}.`,
    `\`\`\`text\napichain ${name} ${usage}`.trimEnd() + '\n```',
  ];
  if (description !== '') parts.push(descriptionOf(description));
  if (flags.length > 0)
    parts.push(
      table(
        ['flag', 'meaning'],
        flags.map((flag) => [
          `${flag.short === undefined ? '' : `\`-${flag.short}\`, `}\`--${flag.name}${flag.value === undefined ? '' : ` ${flag.value}`}\``,
          `${plain(flag.summary)}${flag.default === undefined ? '' : ` <span class="value">default \`${flag.default}\`</span>`}`,
        ]),
      ),
    );
  if (examples.length > 0)
    parts.push(`\`\`\`bash\n${examples.map(([line, does]) => `# ${does}\n${line}`).join('\n\n')}\n\`\`\``);
  return parts.join('\n\n');
}

/** Paragraphs as they are; indented lines, which are tables in the help, as a block. */
function descriptionOf(description: string): string {
  return description
    .split('\n\n')
    .map((paragraph) =>
      paragraph.startsWith(' ') ? `\`\`\`text\n${paragraph.replace(/^ {2}/gm, '')}\n\`\`\`` : textOf(paragraph),
    )
    .join('\n\n');
}

/** Commands in backquotes stay code. */
const textOf = (paragraph: string) =>
  paragraph
    .split('`')
    .map((part, index) => (index % 2 === 1 ? `\`${part}\`` : plain(part)))
    .join('');
