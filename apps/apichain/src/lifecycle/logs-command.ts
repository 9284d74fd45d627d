import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartupError } from '@apichain/chain/setup';
import type { CommandArguments } from '../commands/command.ts';
import { directoryOf } from './chain-directory.ts';
import { isColored } from '../terminal/color.ts';
import { formatLogLine, type LogLine } from './log-line.ts';
import { Logs } from './logs.ts';

const pollMs = 200;

/** `apichain logs [SERVICE]`. With --follow it does not return. Throws StartupError when there is no such log. */
export async function logsCommand(args: CommandArguments): Promise<void> {
  const folder = join(directoryOf(args), 'logs');
  const lines = Number(args.string('tail'));
  if (!Number.isInteger(lines) || lines < 0)
    throw new StartupError(`--tail: "${args.string('tail') ?? ''}" is not a number of lines`);
  const [service] = args.arguments;
  const logs = new Logs(folder, service);
  const print = (line: LogLine) => {
    console.log(
      args.string('output') === 'json' ? line.text : formatLogLine(line, logs.width, isColored(process.stdout)),
    );
  };
  const begun = logs.last(lines);
  const isFollowed = args.boolean('follow');
  if (begun.length === 0 && !isFollowed) throw new StartupError(logs.absence());
  for (const line of begun) print(line);
  while (isFollowed) {
    await sleep(pollMs);
    for (const line of logs.next()) print(line);
  }
}
