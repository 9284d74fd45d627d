import { join } from 'node:path';
import { StartupError } from '@apichain/chain/setup';
import type { CommandArguments } from '../commands/command.ts';
import { withProgress } from '../terminal/progress.ts';
import { requestReset } from '../up/control-socket.ts';
import { controlSocketOf, lockHolder, lockStoppedChain } from '../up/data-directory.ts';
import { emptyStore } from '../up/store.ts';
import { directoryOf } from './chain-directory.ts';
import { isChainDirectory } from './chain-state.ts';

/**
 * `apichain reset`: a chain that runs resets itself, and the store of one that does not run is removed. Throws StartupError when the directory holds no
 * chain, or when the chain has a store that is not its own.
 */
export async function resetCommand(args: CommandArguments): Promise<void> {
  const root = directoryOf(args);
  if (!isChainDirectory(root)) throw new StartupError(`${root} holds no chain: start one with apichain up`);
  if (lockHolder(root) === undefined) return resetStopped(root);
  const lines = await withProgress(() => 'resetting the chain', requestReset(controlSocketOf(root)));
  for (const line of lines) console.log(line);
}

function resetStopped(root: string): void {
  const release = lockStoppedChain(root);
  try {
    const stores = { path: root, etcd: join(root, 'etcd'), embeddedEtcd: join(root, 'embedded-etcd') };
    if (!emptyStore(stores, { memory: false }))
      throw new StartupError(
        `${root} holds no store: a chain with --memory starts empty, and the etcd of --etcd-servers is not emptied`,
      );
    console.log(`the chain of ${root} starts with an empty store`);
  } finally {
    release();
  }
}
