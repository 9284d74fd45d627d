import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartupError, type Kubeconfig } from '@apichain/chain/setup';
import { hasErrorCode, isRecord, parseJson, parseYaml } from '@apichain/meta';
import type { CommandArguments } from './commands/command.ts';
import { directoryOf } from './lifecycle/chain-directory.ts';
import { requestLocal, type LocalTls } from './local-request.ts';

const timeoutMs = 10_000;

/** `apichain console`: prints a URL with which a browser of this machine logs in to the console of a chain. */
export async function consoleCommand(args: CommandArguments): Promise<void> {
  const directory = directoryOf(args);
  console.log(await consoleUrl(join(directory, 'admin.kubeconfig'), directory));
}

/**
 * A new URL with which a browser of this machine logs in once, as the administrator of the chain that runs on a directory. Throws StartupError when
 * no chain runs there, or when it has no console.
 */
export async function consoleUrl(kubeconfig: string, directory: string): Promise<string> {
  const { server, ...tls } = administratorOf(kubeconfig, directory);
  const request = requestLocal(`${server}/console/codes`, { ...tls, method: 'POST', timeoutMs });
  const { status, body } = await request.catch((error: unknown) => {
    if (hasErrorCode(error, 'ECONNREFUSED')) throw new StartupError(`no chain runs on ${directory}`);
    throw error;
  });
  if (status === 404) throw new StartupError(`the chain of ${directory} has no console: start it with --console`);
  const created: unknown = status === 201 ? parseJson(body) : undefined;
  if (!isRecord(created) || typeof created['url'] !== 'string')
    throw new StartupError(`the chain of ${directory} gave no code for its console: ${status} ${body.trim()}`);
  return created['url'];
}

interface Administrator extends LocalTls {
  readonly server: string;
}

function administratorOf(kubeconfig: string, directory: string): Administrator {
  const config = parseYaml(readKubeconfig(kubeconfig, directory)) as Kubeconfig;
  const { cluster } = config.clusters[0] ?? {};
  const { user } = config.users[0] ?? {};
  if (cluster === undefined || user === undefined) throw new StartupError(`${kubeconfig} names no cluster and user`);
  const pem = (base64: string) => Buffer.from(base64, 'base64').toString();
  return {
    server: cluster.server,
    ca: pem(cluster['certificate-authority-data']),
    cert: pem(user['client-certificate-data']),
    key: pem(user['client-key-data']),
  };
}

function readKubeconfig(kubeconfig: string, directory: string): string {
  try {
    return readFileSync(kubeconfig, 'utf8');
  } catch (error) {
    if (!hasErrorCode(error, 'ENOENT')) throw error;
    throw new StartupError(`--data-dir ${directory} holds no chain: start one with apichain up --console`);
  }
}
