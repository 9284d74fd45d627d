import { chownSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { CommandArguments } from '../commands/command.ts';
import { StartupError, ensurePki, kubeconfig, writeWholeFile } from '@apichain/chain/setup';
import { makeDirectory } from '@apichain/meta';

/** `apichain certificates`: for deployments that do not use `apichain up`. */
export async function certificatesCommand(args: CommandArguments): Promise<void> {
  const directory = args.string('pki-dir');
  if (directory === undefined) throw new StartupError('--pki-dir is required');
  const ownerText = args.string('owner');
  const owner = ownerText === undefined ? undefined : parseOwner(ownerText);
  const file = args.string('kubeconfig');
  await ensurePki({
    directory,
    hosts: args.list('hosts'),
    ...(owner === undefined ? {} : { owner }),
  });
  if (file === undefined) return;
  const pem = (name: string) => readFileSync(join(directory, name), 'utf8');
  makeDirectory(dirname(file));
  const text = kubeconfig({
    server: args.string('server') ?? '',
    ca: pem('ca.crt'),
    cert: pem('admin.crt'),
    key: pem('admin.key'),
    user: 'kubernetes-admin',
  });
  writeWholeFile(file, text, 0o600);
  if (owner !== undefined) for (const path of [dirname(file), file]) chownSync(path, owner.uid, owner.gid);
  console.log(`kubeconfig: ${file}`);
}

function parseOwner(text: string): { uid: number; gid: number } {
  const match = /^(\d+):(\d+)$/.exec(text);
  if (match === null) throw new StartupError(`--owner ${text} is not UID:GID`);
  return { uid: Number(match[1]), gid: Number(match[2]) };
}
