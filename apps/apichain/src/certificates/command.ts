import { chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { kubeconfig } from '../kubeconfig.ts';
import { StartupError } from '../startup-error.ts';
import { ensurePki } from './pki.ts';

export const certificatesHelp = `apichain certificates --pki-dir DIR [flags]

Makes the certificates of a chain whose services are started one by one, and keeps those that are there.

  --pki-dir DIR        where the certificates are
  --hosts A,B          further names and addresses the services are reached at
  --server URL         the aggregator as clients reach it; with --kubeconfig (https://127.0.0.1:6443)
  --kubeconfig FILE    writes a kubeconfig of an administrator
  --owner UID:GID      gives the certificates and the kubeconfig to this user
`;

/** `apichain certificates`: for deployments that do not use `apichain up`. */
export async function certificatesCommand(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      'pki-dir': { type: 'string' },
      hosts: { type: 'string', default: '' },
      server: { type: 'string', default: 'https://127.0.0.1:6443' },
      kubeconfig: { type: 'string' },
      owner: { type: 'string' },
    },
  });
  const directory = values['pki-dir'];
  if (directory === undefined) throw new StartupError('--pki-dir is required');
  const owner = values.owner === undefined ? undefined : parseOwner(values.owner);
  await ensurePki({
    directory,
    hosts: values.hosts.split(',').filter((host) => host !== ''),
    ...(owner === undefined ? {} : { owner }),
  });
  if (values.kubeconfig === undefined) return;
  const pem = (name: string) => readFileSync(join(directory, name), 'utf8');
  mkdirSync(dirname(values.kubeconfig), { recursive: true });
  const text = kubeconfig({
    server: values.server,
    ca: pem('ca.crt'),
    cert: pem('admin.crt'),
    key: pem('admin.key'),
    user: 'kubernetes-admin',
  });
  writeFileSync(values.kubeconfig, text, { mode: 0o600 });
  if (owner !== undefined)
    for (const path of [dirname(values.kubeconfig), values.kubeconfig]) chownSync(path, owner.uid, owner.gid);
  console.log(`kubeconfig: ${values.kubeconfig}`);
}

function parseOwner(text: string): { uid: number; gid: number } {
  const match = /^(\d+):(\d+)$/.exec(text);
  if (match === null) throw new StartupError(`--owner ${text} is not UID:GID`);
  return { uid: Number(match[1]), gid: Number(match[2]) };
}
