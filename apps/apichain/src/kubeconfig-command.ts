import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { issueClient } from '@apichain/serving/certificates';
import { errorMessage, hasErrorCode, makeDirectory, parseYaml, stringifyYaml } from '@apichain/meta';
import type { CommandArguments } from './commands/command.ts';
import { StartupError, kubeconfigOf, mergeKubeconfig, type Kubeconfig, writeWholeFile } from '@apichain/chain/setup';

const administrator = 'kubernetes-admin';

/** `apichain kubeconfig`. Throws StartupError when the directory contains no chain, or when the file to merge into is not a kubeconfig. */
export async function kubeconfigCommand(args: CommandArguments): Promise<void> {
  const root = resolve(args.string('data-dir') ?? '');
  const user = args.string('user');
  const groups = args.list('group');
  if (user === undefined && groups.length > 0) throw new StartupError('--group needs --user: whose groups they are');
  if (user === '') throw new StartupError('--user: must not be empty');
  const pem = (name: string) => read(join(root, 'pki', name), root);
  const pair =
    user === undefined
      ? { certificate: pem('admin.crt'), key: pem('admin.key') }
      : await issueClient({ certificate: pem('ca.crt'), key: pem('ca.key') }, user, groups);
  const cluster = args.string('context') ?? 'apichain';
  const context = user === undefined ? cluster : `${user}@${cluster}`;
  // A merged file may have other clusters with a user of the same name, so the cluster is part of the user name.
  const names = { cluster, context, user: `${user ?? administrator}@${cluster}` };
  const config = kubeconfigOf({
    server: args.string('server') ?? serverOf(root),
    ca: pem('ca.crt'),
    cert: pair.certificate,
    key: pair.key,
    user: user ?? administrator,
    names,
  });
  const file = args.string('merge');
  if (file === undefined) process.stdout.write(stringifyYaml(config));
  else mergeInto(expand(file), config);
}

function read(path: string, root: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (!hasErrorCode(error, 'ENOENT')) throw new StartupError(errorMessage(error));
    throw new StartupError(`--data-dir ${root} holds no chain: start one with apichain up`);
  }
}

/** The URL of the API server at the last start of the chain. */
function serverOf(root: string): string {
  const written = parseYaml(read(join(root, 'admin.kubeconfig'), root)) as Kubeconfig;
  const [cluster] = written.clusters;
  if (cluster === undefined)
    throw new StartupError(`${join(root, 'admin.kubeconfig')} names no cluster: give --server`);
  return cluster.cluster.server;
}

function mergeInto(file: string, config: Kubeconfig): void {
  const merged = mergeKubeconfig(existsSync(file) ? existing(file) : undefined, config);
  makeDirectory(dirname(file));
  writeWholeFile(file, stringifyYaml(merged), 0o600);
  console.log(`context ${config['current-context']} is in ${file}`);
}

function existing(file: string): Partial<Kubeconfig> | undefined {
  let value: unknown;
  try {
    value = parseYaml(readFileSync(file));
  } catch (error) {
    throw new StartupError(`${file} is not YAML: ${errorMessage(error).replaceAll('\n', ' ')}`);
  }
  if (value === null) return undefined;
  if (typeof value !== 'object' || Array.isArray(value)) throw new StartupError(`${file} is not a kubeconfig`);
  return value;
}

const expand = (path: string) => resolve(path.startsWith('~/') ? join(homedir(), path.slice(2)) : path);
