import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FlagDefinition } from '@apichain/apiserver-options';
import { helpText } from '@apichain/controllers';
import { aggregatorFlags } from '@apichain/server-aggregator';
import { apiExtensionsFlags } from '@apichain/server-apiextensions';
import { kubeCoreFlags } from '@apichain/server-core';
import { apiServerFlags } from '../../libs/extension-server/src/flags.ts';
import { plain, table } from './markdown.ts';

interface Program {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly flags: readonly FlagDefinition[];
}

const programs: readonly Program[] = [
  {
    name: 'aggregator',
    title: 'aggregator',
    about: 'The first server of the chain. `apichain up` passes it the flags about clients, auditing and limits.',
    flags: aggregatorFlags,
  },
  { name: 'kube-core', title: 'kube-core', about: 'The server of the built-in API groups.', flags: kubeCoreFlags },
  {
    name: 'apiextensions',
    title: 'apiextensions',
    about: 'The server of CustomResourceDefinitions and custom resources.',
    flags: apiExtensionsFlags,
  },
  {
    name: 'extension-server',
    title: 'Extension API servers',
    about: 'The flags of every server that [`createApiServer`](/extension-servers) makes.',
    flags: apiServerFlags,
  },
];

/** Writes a page for the flags of each program, from the tables that the programs parse their command lines with, and a page that lists all. */
export function writeFlagReference(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const program of programs) writeFileSync(join(folder, `${program.name}.md`), pageOf(program));
  writeFileSync(
    join(folder, 'controllers.md'),
    `# Flags of controllers\n\n\`\`\`text\n${helpText.trimEnd()}\n\`\`\`\n`,
  );
  writeFileSync(join(folder, 'index.md'), overview());
}

function pageOf({ title, about, flags }: Program): string {
  const used = flags.filter(({ effectIn }) => effectIn === undefined);
  const accepted = flags.filter(({ effectIn }) => effectIn !== undefined);
  const sections = Map.groupBy(used, ({ section }) => section);
  const parts = [...sections].map(
    ([section, members]) =>
      `## ${section}\n\n${table(
        ['flag', 'meaning'],
        sorted(members).map((flag) => [nameOf(flag), meaningOf(flag)]),
      )}`,
  );
  const rest =
    accepted.length === 0
      ? ''
      : `\n## Without effect\n\nThe program accepts these flags of kube-apiserver and prints a warning:\n${sorted(
          accepted,
        )
          .map(({ name }) => `\`--${name}\``)
          .join(', ')}.\n`;
  return `# Flags of ${title}\n\n${about} ${used.length} flags have an effect.\n\n${parts.join('\n\n')}\n${rest}`;
}

/** Every flag, and the programs that have it. */
function overview(): string {
  const names = new Set(
    programs.flatMap(({ flags }) => flags.filter(({ effectIn }) => effectIn === undefined).map(({ name }) => name)),
  );
  const rows = [...names].sort().map((name) => [
    `\`--${name}\``,
    ...programs.map(({ flags }) => {
      const flag = flags.find((other) => other.name === name);
      return flag === undefined ? '' : flag.effectIn === undefined ? 'yes' : 'no effect';
    }),
  ]);
  return `# Flags

The names, defaults and meanings are those of kube-apiserver 1.36. \`apichain up\` has [flags of its own](/reference/commands#apichain-up) and
passes all others to the services that know them. The pages are made from the tables that the programs parse their command lines with:
${programs.map(({ name, title }) => `[${title}](./${name})`).join(', ')}, [controllers](./controllers).

${table(['flag', ...programs.map(({ title }) => title)], rows)}
`;
}

const sorted = (flags: readonly FlagDefinition[]) => flags.toSorted((a, b) => (a.name < b.name ? -1 : 1));
const nameOf = ({ name, shorthand }: FlagDefinition) =>
  shorthand === undefined ? `\`--${name}\`` : `\`-${shorthand}\`, \`--${name}\``;

/** What the flag does, with the type and the default of its value. */
function meaningOf({ usage, type, default: preset }: FlagDefinition): string {
  const value = preset === undefined || preset === '' ? '' : `, default \`${preset}\``;
  return `${plain(usage)} <span class="value">${type}${value}</span>`;
}
