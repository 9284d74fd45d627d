import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CommandArguments } from './commands/command.ts';
import { StartupError } from '@apichain/chain/setup';
import { chainDirectory, directoryOf } from './lifecycle/chain-directory.ts';
import { isChainDirectory } from './lifecycle/chain-state.ts';
import { kubeconfigOfChain } from './lifecycle/chain-kubeconfig.ts';
import { kubeconfigFiles, namesOf, removeFromFiles } from './lifecycle/merged-kubeconfig.ts';
import { removeNoted } from './lifecycle/noted-merge.ts';
import { secondsOf } from './commands/flag-values.ts';
import { isRunning, lockStoppedChain, lockHolder, stopLeftovers } from './up/data-directory.ts';

const pollMs = 20;

/**
 * `apichain down`, with --delete also of its files. Throws StartupError when the directory is not the data directory of a chain, or when its
 * process cannot be stopped.
 */
export async function downCommand(args: CommandArguments): Promise<void> {
  const root = directoryOf(args);
  const seconds = secondsOf(args, 'timeout');
  if (!isChainDirectory(root)) throw new StartupError(`--data-dir ${root} holds no chain`);
  await end(root, seconds);
  if (args.boolean('delete')) deleteFiles(root);
}

/** `apichain delete NAME...`. Throws StartupError, before anything is stopped, when there is no chain of a name. */
export async function deleteCommand(args: CommandArguments): Promise<void> {
  const seconds = secondsOf(args, 'timeout');
  if (args.arguments.length === 0) throw new StartupError('delete needs the name of a chain (see apichain list)');
  const directories = args.arguments.map((name) => {
    const root = chainDirectory({ name });
    if (!isChainDirectory(root)) throw new StartupError(`there is no chain ${name} (see apichain list)`);
    return [name, root] as const;
  });
  for (const [name, root] of directories) {
    await end(root, seconds);
    await removeContext(name, root);
    deleteFiles(root);
  }
}

/** Removes the context that `apichain kubeconfig --merge` made in the files that kubectl uses. */
async function removeContext(name: string, root: string): Promise<void> {
  // A chain whose first start was interrupted has none.
  if (!existsSync(join(root, 'admin.kubeconfig'))) return;
  const config = await kubeconfigOfChain(root, { cluster: name });
  await removeFromFiles(kubeconfigFiles(''), namesOf(config));
}

async function end(root: string, seconds: number): Promise<void> {
  await stopChain(root, seconds);
  // A chain that was killed has left its context in the kubeconfigs of the user.
  await removeNoted(root);
}

/** What a chain makes in its data directory. The directory may contain other files of the user: `apichain up --data-dir .` */
const ofChain =
  /^(?:\.gitignore|admin\.kubeconfig|pki|etcd|embedded-etcd(?:\..*)?|logs|snapshots|store-url|pids\.json|lock|.*\.sock)$/;

/** By its certificates a directory is known as that of a chain: while they are there, an interrupted deletion can be repeated. */
const lastOfChain = ['pki', 'lock'];

function deleteFiles(root: string): void {
  lockStoppedChain(root);
  const names = readdirSync(root).filter((name) => ofChain.test(name) && !lastOfChain.includes(name));
  for (const name of [...names, ...lastOfChain]) rmSync(join(root, name), { recursive: true, force: true });
  const left = readdirSync(root);
  if (left.length === 0) rmdirSync(root);
  console.log(
    left.length === 0
      ? `deleted ${root}`
      : `deleted the chain in ${root}; what is not of the chain stays: ${left.join(', ')}`,
  );
}

async function stopChain(root: string, seconds: number): Promise<void> {
  const holder = lockHolder(root);
  if (holder === undefined) {
    const ended = stopLeftovers(root);
    // A chain that was killed has left it.
    rmSync(join(root, 'lock'), { force: true });
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
