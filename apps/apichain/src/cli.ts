import { overview, helpOf } from './commands/help.ts';
import { parseArguments } from './commands/parse.ts';
import { commands } from './commands/table.ts';
import type { Command, CommandArguments } from './commands/command.ts';
import { fail } from './up/say.ts';
import { StartupError } from '@apichain/chain/setup';
import { didYouMean } from '@apichain/meta';

async function main([name = 'help', ...rest]: readonly string[], command: Command | undefined): Promise<void> {
  if (['help', '--help', '-h'].includes(name)) {
    const of = commands.find((command) => command.name === rest[0]);
    process.stdout.write(of === undefined ? overview(commands) : helpOf(of));
    return;
  }
  if (command === undefined) {
    const names = commands.map((known) => known.name);
    throw new StartupError(`unknown command "${name}"${didYouMean(name, names)} (see apichain --help)`);
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    process.stdout.write(helpOf(command));
    return;
  }
  const parsed = command.passesFlagsOn === true ? untouched(rest) : parseArguments(command, rest);
  const run = await command.load();
  await run(parsed);
}

const untouched = (raw: readonly string[]): CommandArguments => ({
  raw,
  arguments: [],
  string: () => undefined,
  list: () => [],
  boolean: () => false,
});

// The reader of the output may have exited. The chain must not be left running because a write to its pipe fails.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const args = process.argv.slice(2);
const command = commands.find(({ name }) => name === (args[0] === '--version' ? 'version' : args[0]));
try {
  await main(args, command);
} catch (error) {
  // The message of a system error (full disk, missing permissions) names its cause.
  const isExpected = error instanceof StartupError || (error instanceof Error && 'syscall' in error);
  if (isExpected) fail(error.message);
  else console.error(error);
  process.exitCode = command?.errorCode ?? 1;
}
