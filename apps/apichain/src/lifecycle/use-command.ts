import { StartupError } from '@apichain/chain/setup';
import type { CommandArguments } from '../commands/command.ts';
import { lockHolder } from '../up/data-directory.ts';
import { allNamedChains, chainDirectory } from './chain-directory.ts';
import { kubeconfigOfChain } from './chain-kubeconfig.ts';
import { isChainDirectory } from './chain-state.ts';
import { kubeconfigFiles } from './merged-kubeconfig.ts';
import { mergeAndNote } from './noted-merge.ts';

/**
 * `apichain use NAME`: makes the context of a chain that runs the current one of the kubeconfig files that kubectl uses. Throws StartupError when there
 * is no such chain, or when it does not run.
 */
export async function useCommand({ arguments: [name] }: CommandArguments): Promise<void> {
  if (name === undefined) throw new StartupError(`use needs the name of a chain: ${namesText()}`);
  const root = chainDirectory({ name });
  if (!isChainDirectory(root)) throw new StartupError(`there is no chain ${name}: ${namesText()}`);
  if (lockHolder(root) === undefined)
    throw new StartupError(`the chain ${name} does not run: start it with apichain up --detach --name ${name}`);
  const config = await kubeconfigOfChain(root, { cluster: name });
  const file = await mergeAndNote(root, kubeconfigFiles(''), config);
  console.log(`context ${name} is the current one in ${file}`);
}

/** The names of all chains, for a message. */
function namesText(): string {
  const names = [...allNamedChains()].filter(([, root]) => isChainDirectory(root)).map(([name]) => name);
  return names.length === 0 ? 'there are none (apichain up --name NAME makes one)' : `there are ${names.join(', ')}`;
}
