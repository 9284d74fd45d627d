import { setTimeout as sleep } from 'node:timers/promises';
import { StartupError } from '@apichain/chain/setup';
import type { CommandArguments } from '../commands/command.ts';
import { directoryOf } from './chain-directory.ts';
import { chainState } from './chain-state.ts';
import { secondsOf } from '../commands/flag-values.ts';

const pollMs = 100;

/** `apichain wait`. Throws StartupError when the chain is not ready, or with --stopped not stopped, in time. */
export async function waitCommand(args: CommandArguments): Promise<void> {
  const directory = directoryOf(args);
  const seconds = secondsOf(args, 'timeout');
  const wanted = args.boolean('stopped') ? 'stopped' : 'ready';
  const deadline = Date.now() + seconds * 1_000;
  for (;;) {
    const { status, problem } = await chainState(directory);
    if (status === wanted) return;
    if (Date.now() >= deadline) {
      const why =
        status === 'stopped'
          ? 'no chain runs on it'
          : `the chain is ${status}${problem === undefined ? '' : `: ${problem}`}`;
      throw new StartupError(`${directory} is not ${wanted} after ${seconds} s: ${why}`);
    }
    await sleep(pollMs);
  }
}
