import { StartupError } from '@apichain/chain/setup';
import type { CommandArguments } from '../commands/command.ts';

/** The value of a flag as a number of seconds. Throws StartupError for anything else. */
export function secondsOf(args: CommandArguments, flag: string): number {
  const text = args.string(flag) ?? '';
  const seconds = Number(text);
  if (text === '' || !(seconds >= 0)) throw new StartupError(`--${flag}: "${text}" is not a number of seconds`);
  return seconds;
}
