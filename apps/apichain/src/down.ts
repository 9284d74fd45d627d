import { setTimeout as sleep } from 'node:timers/promises';
import type { CommandArguments } from './commands/command.ts';
import { StartupError } from '@apichain/chain/setup';
import { directoryOf } from './lifecycle/chain-directory.ts';
import { isChainDirectory } from './lifecycle/chain-state.ts';
import { removeNoted } from './lifecycle/noted-merge.ts';
import { secondsOf } from './lifecycle/seconds.ts';
import { isRunning, lockHolder, stopLeftovers } from './up/data-directory.ts';

const pollMs = 20;

/** `apichain down`. Throws StartupError when the directory is not the data directory of a chain, or when its process cannot be stopped. */
export async function downCommand(args: CommandArguments): Promise<void> {
  const root = directoryOf(args);
  const seconds = secondsOf(args, 'timeout');
  if (!isChainDirectory(root)) throw new StartupError(`--data-dir ${root} holds no chain`);
  await stopChain(root, seconds);
  // A chain that was killed has left its context in the kubeconfigs of the user.
  await removeNoted(root);
}

async function stopChain(root: string, seconds: number): Promise<void> {
  const holder = lockHolder(root);
  if (holder === undefined) {
    const ended = stopLeftovers(root);
    console.log(
      ended === 0 ? `no chain runs on ${root}` : `ended ${ended} processes that a killed chain had left on ${root}`,
    );
    return;
  }
  signal(holder, 'SIGTERM', root);
  for (const deadline = Date.now() + seconds * 1_000; isRunning(holder) && Date.now() < deadline;) await sleep(pollMs);
  if (isRunning(holder)) {
    signal(holder, 'SIGKILL', root);
    stopLeftovers(root);
    console.log(`killed the chain on ${root} (process ${holder}), which did not stop within ${seconds} s`);
    return;
  }
  console.log(`stopped the chain on ${root} (process ${holder})`);
}

function signal(pid: number, name: NodeJS.Signals, root: string): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ESRCH')
      throw new StartupError(`process ${pid}, which holds ${root}, cannot be stopped: ${code ?? ''}`);
  }
}
