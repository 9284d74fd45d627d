import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fencesOf } from '../../apps/e2e/src/documented-commands/fences.ts';
import { plain, table } from './markdown.ts';

/** Writes the page that lists the blocks of commands that no test runs, with the reasons that stand in the pages. */
export function writeCommandsNotRun(file: string): void {
  const rows = ['README.md', ...globSync('docs/**/*.md').sort()].flatMap((page) =>
    fencesOf(readFileSync(page, 'utf8')).flatMap(({ attributes: { skip }, text, line }) =>
      skip === undefined
        ? []
        : [
            [
              `${page === 'README.md' ? page : `[${page.slice('docs/'.length)}](/${page.slice('docs/'.length, -'.md'.length)})`}, line ${line}`,
              firstLine(text),
              plain(skip),
            ],
          ],
    ),
  );
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(
    file,
    `# Commands that no test runs

End-to-end tests run the commands of the README and of these pages, and compare what they print ([Documentation](documentation.md)). These blocks are not run:

${table(['page', 'begins with', 'reason'], rows)}
`,
  );
}

const firstLine = (text: string) => `\`${text.trimStart().split('\n')[0]?.slice(0, 60) ?? ''}\``;
