import { StartupError } from '@apichain/chain/setup';
import { stringifyYaml } from '@apichain/meta';
import type { CommandArguments } from './commands/command.ts';
import { serverUrlOf } from './commands/flag-values.ts';
import { directoryOf } from './lifecycle/chain-directory.ts';
import { kubeconfigOfChain } from './lifecycle/chain-kubeconfig.ts';
import { defaultContext, kubeconfigFiles, mergeIntoFiles } from './lifecycle/merged-kubeconfig.ts';

/** `apichain kubeconfig`. Throws StartupError when the directory contains no chain, or when the file to merge into is not a kubeconfig. */
export async function kubeconfigCommand(args: CommandArguments): Promise<void> {
  const user = args.string('user');
  const groups = args.list('group');
  if (user === undefined && groups.length > 0) throw new StartupError('--group needs --user: whose groups they are');
  if (user === '') throw new StartupError('--user: must not be empty');
  const cluster = args.string('context') ?? args.string('name') ?? defaultContext;
  const server = args.string('server');
  if (server !== undefined) serverUrlOf('server', server);
  const config = await kubeconfigOfChain(directoryOf(args), { cluster, user, groups, server });
  const into = args.string('merge');
  if (into === '') throw new StartupError('--merge: must not be empty');
  if (into === undefined) process.stdout.write(stringifyYaml(config));
  else console.log(`context ${config['current-context']} is in ${await mergeIntoFiles(kubeconfigFiles(into), config)}`);
}
