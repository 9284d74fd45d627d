import { humanDuration } from '@apichain/go-text';
import type { CommandArguments } from '../commands/command.ts';
import { allNamedChains, chainDirectory } from './chain-directory.ts';
import { shown } from '../terminal/color.ts';
import { type ChainState, chainState, isChainDirectory } from './chain-state.ts';
import { statusMeaning } from './status-command.ts';

/** `apichain list`: the named chains, and the chain of the current folder. */
export async function listCommand(args: CommandArguments): Promise<void> {
  const here = chainDirectory({});
  const directories = new Map([...(isChainDirectory(here) ? [['', here] as const] : []), ...allNamedChains()]);
  const chains = await Promise.all(
    [...directories].map(async ([name, directory]) => ({ name, ...(await chainState(directory)) })),
  );
  if (args.string('output') === 'json') {
    console.log(JSON.stringify(chains, undefined, 2));
    return;
  }
  if (chains.length === 0) {
    console.log('no chains: start one with apichain up');
    return;
  }
  const header = ['NAME', 'STATUS', 'AGE', 'SERVER', 'DATA'];
  const rows = chains.map(row);
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((cells) => cells[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[], paint: (cell: string, column: number) => string = (cell) => cell) =>
    cells
      .map((cell, column) => paint(cell, column) + ' '.repeat((widths[column] ?? 0) - cell.length))
      .join('   ')
      .trimEnd();
  console.log(line(header));
  for (const [index, chain] of chains.entries())
    console.log(
      line(rows[index] ?? [], (cell, column) =>
        column === 0 ? shown(cell, 'name') : column === 1 ? shown(cell, statusMeaning(chain)) : cell,
      ),
    );
}

const row = ({ name, status, killed, startedAt, server, directory }: ChainState & { name: string }): string[] => [
  name === '' ? '-' : name,
  killed === undefined ? status : 'killed',
  startedAt === undefined ? '-' : humanDuration(Date.now() - startedAt),
  server ?? '-',
  directory,
];
