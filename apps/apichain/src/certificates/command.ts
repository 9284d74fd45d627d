import { chownSync, readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { dirname, join } from 'node:path';
import type { CommandArguments } from '../commands/command.ts';
import { StartupError, ensurePki, kubeconfig, writeWholeFile } from '@apichain/chain/setup';
import { makeDirectory } from '@apichain/meta';
import { serverUrlOf } from '../commands/flag-values.ts';

/** `apichain certificates`: for deployments that do not use `apichain up`. */
export async function certificatesCommand(args: CommandArguments): Promise<void> {
  const directory = args.string('pki-dir');
  if (directory === undefined) throw new StartupError('--pki-dir is required');
  const ownerText = args.string('owner');
  const owner = ownerText === undefined ? undefined : parseOwner(ownerText);
  const file = args.string('kubeconfig');
  const server = serverUrlOf('server', args.string('server') ?? '');
  const servicesServer = args.string('services-server');
  if (servicesServer !== undefined) serverUrlOf('services-server', servicesServer);
  await ensurePki({
    directory,
    hosts: args.list('hosts').map(checkedHost),
    simulation: true,
    owner,
  });
  const pem = (name: string) => readFileSync(join(directory, name), 'utf8');
  const write = (path: string, server: string) => {
    const identity = { ca: pem('ca.crt'), cert: pem('admin.crt'), key: pem('admin.key'), user: 'kubernetes-admin' };
    makeDirectory(dirname(path));
    writeWholeFile(path, kubeconfig({ server, ...identity }), 0o600);
  };
  if (servicesServer !== undefined) {
    const path = join(directory, servicesKubeconfig);
    write(path, servicesServer);
    if (owner !== undefined) chownSync(path, owner.uid, owner.gid);
  }
  if (file === undefined) return;
  write(file, server);
  // A container writes the file as root for the user of the folder.
  const { uid, gid } = statSync(dirname(file));
  if (process.getuid?.() === 0) chownSync(file, uid, gid);
  console.log(`kubeconfig: ${file}`);
}

const servicesKubeconfig = 'services.kubeconfig';

const hostName = /^(?:\*\.)?[\w-]+(?:\.[\w-]+)*$/;

function checkedHost(host: string): string {
  if (isIP(host) !== 0 || hostName.test(host)) return host;
  throw new StartupError(`--hosts: "${host}" is neither a name nor an address`);
}

function parseOwner(text: string): { uid: number; gid: number } {
  const match = /^(\d+):(\d+)$/.exec(text);
  if (match === null) throw new StartupError(`--owner ${text} is not UID:GID`);
  return { uid: Number(match[1]), gid: Number(match[2]) };
}
