import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { StartupError } from '@apichain/chain/setup';
import { isDNS1123Label } from '@apichain/meta';
import type { CommandArguments } from '../commands/command.ts';

/** The data directory of a chain without a name. */
const defaultDataDir = '.apichain';

/** The folder with the data directories of named chains: the one for data that programs keep for a user. */
function namedChains(): string {
  const { XDG_DATA_HOME: data } = process.env;
  return join(data === undefined || data === '' ? join(homedir(), '.local/share') : data, 'apichain');
}

/**
 * The data directory, absolute, that `--name` or `--data-dir` selects. Throws StartupError when both are given, or when the name is no DNS
 * label.
 */
export function chainDirectory(given: {
  readonly name?: string | undefined;
  readonly dataDir?: string | undefined;
}): string {
  const { name, dataDir } = given;
  if (name === undefined) return resolve(dataDir ?? defaultDataDir);
  if (dataDir !== undefined) throw new StartupError('--name and --data-dir exclude each other');
  if (isDNS1123Label(name).length > 0)
    throw new StartupError(`--name: "${name}" is not a name of lower case letters, digits and dashes`);
  return join(namedChains(), name);
}

/** The data directory of a command's `--name` or `--data-dir`. Throws StartupError like `chainDirectory`. */
export const directoryOf = (args: CommandArguments): string =>
  chainDirectory({ name: args.string('name'), dataDir: args.list('data-dir').at(-1) });

/** The data directories of all named chains by name, sorted. */
export function allNamedChains(): ReadonlyMap<string, string> {
  const folder = namedChains();
  if (!existsSync(folder)) return new Map();
  const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return new Map(folders.map(({ name }) => [name, join(folder, name)] as const).sort(([a], [b]) => (a < b ? -1 : 1)));
}
