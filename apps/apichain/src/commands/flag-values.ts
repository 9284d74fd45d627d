import { StartupError } from '@apichain/chain/setup';
import type { CommandArguments } from './command.ts';

/** The value of a flag that is the URL of an API server. Throws StartupError for anything else. */
export function serverUrlOf(flag: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return text;
  throw new StartupError(`--${flag}: "${text}" is no URL of a server, e.g. https://127.0.0.1:6443`);
}

/** The value of a flag as a number of seconds. Throws StartupError for anything else. */
export function secondsOf(args: CommandArguments, flag: string): number {
  const text = args.string(flag) ?? '';
  const seconds = Number(text);
  if (text === '' || !(seconds >= 0)) throw new StartupError(`--${flag}: "${text}" is not a number of seconds`);
  return seconds;
}
