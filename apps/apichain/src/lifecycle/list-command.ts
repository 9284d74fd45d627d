import { humanDuration } from '@apichain/go-text';
import type { CommandArguments } from '../commands/command.ts';
import { allNamedChains, chainDirectory } from './chain-directory.ts';
import { type ChainState, chainState, isChainDirectory } from './chain-state.ts';

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
  print([['NAME', 'STATUS', 'AGE', 'SERVER', 'DATA'], ...chains.map(row)]);
}

const row = ({ name, status, killed, startedAt, server, directory }: ChainState & { name: string }): string[] => [
  name === '' ? '-' : name,
  killed === undefined ? status : 'killed',
  startedAt === undefined ? '-' : humanDuration(Date.now() - startedAt),
  server ?? '-',
  directory,
];

function print(rows: readonly (readonly string[])[]): void {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)));
  for (const cells of rows)
    console.log(
      cells
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('   ')
        .trimEnd(),
    );
}
