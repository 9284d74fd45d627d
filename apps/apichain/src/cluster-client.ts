import { StartupError } from '@apichain/chain/setup';
import { defaultKubeconfig, httpTransport, loadKubeconfig, RestClient } from '@apichain/client';
import { errorMessage } from '@apichain/meta';
import type { CommandArguments } from './commands/command.ts';

/** The file of --kubeconfig, or that which kubectl would use. Throws StartupError when there is none, or when there are several. */
export function clusterKubeconfig(args: CommandArguments): string {
  const given = args.string('kubeconfig');
  if (given !== undefined) return given;
  try {
    return defaultKubeconfig();
  } catch (error) {
    throw new StartupError(`${errorMessage(error)}: name the kubeconfig with --kubeconfig`);
  }
}

/** Runs an action with a client of the cluster of `clusterKubeconfig`. Throws StartupError for a kubeconfig that cannot be used. */
export async function withClusterClient(
  args: CommandArguments,
  userAgent: string,
  run: (client: RestClient) => Promise<void>,
): Promise<void> {
  const client = new RestClient(httpTransport({ ...optionsOf(clusterKubeconfig(args)), userAgent }));
  try {
    await run(client);
  } finally {
    await client.close();
  }
}

function optionsOf(file: string) {
  try {
    return loadKubeconfig(file);
  } catch (error) {
    throw new StartupError(`--kubeconfig: ${errorMessage(error)}`);
  }
}
