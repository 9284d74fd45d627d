import { overview, helpOf } from './commands/help.ts';
import { parseArguments } from './commands/parse.ts';
import { commands } from './commands/table.ts';
import type { CommandArguments } from './commands/command.ts';
import { fail } from './up/say.ts';
import { StartupError } from '@apichain/chain/setup';
import { didYouMean } from '@apichain/meta';

let errorCode = 1;

async function main(args: readonly string[]): Promise<void> {
  const [name = 'help', ...rest] = args;
  if (['help', '--help', '-h'].includes(name)) {
    const of = commands.find((command) => command.name === rest[0]);
    process.stdout.write(of === undefined ? overview(commands) : helpOf(of));
    return;
  }
  const command = commands.find((known) => known.name === (name === '--version' ? 'version' : name));
  if (command === undefined) {
    const names = commands.map((known) => known.name);
    throw new StartupError(`unknown command "${name}"${didYouMean(name, names)} (see apichain --help)`);
  }
  errorCode = command.errorCode ?? 1;
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

try {
  await main(process.argv.slice(2));
} catch (error) {
  // The message of a system error (full disk, missing permissions) names its cause.
  const isExpected = error instanceof StartupError || (error instanceof Error && 'syscall' in error);
  if (isExpected) fail(error.message);
  else console.error(error);
  process.exitCode = errorCode;
}
