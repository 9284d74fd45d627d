import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { startChain } from './chain.ts';

/** Files that are not secret. */
const isPublic = (name: string) => /\.(?:crt|pub)$/.test(name);

/** Files and sockets below a directory that other users can access, with their permissions. */
function openToOthers(directory: string): string[] {
  return readdirSync(directory).flatMap((name) => {
    const path = join(directory, name);
    const stats = statSync(path);
    const rights = (stats.mode & 0o777).toString(8);
    if (stats.isDirectory()) return (stats.mode & 0o011) === 0 ? [] : [`${name} ${rights}`, ...openToOthers(path)];
    return (stats.mode & 0o077) === 0 || isPublic(name) ? [] : [`${name} ${rights}`];
  });
}

const forms = {
  'three services': [
    'etcd.sock',
    'kube-core.sock',
    'apiextensions.sock',
    'debug.sock',
    'kube-core-debug.sock',
    'apiextensions-debug.sock',
    'up.sock',
  ],
  'one process': ['etcd.sock', 'debug.sock', 'up.sock'],
};

describe('the files of a chain in a world-readable directory, with any umask', () => {
  for (const [form, sockets] of Object.entries(forms))
    it(`are accessible only to their owner: ${form}`, async () => {
      const dataDirectory = mkdtempSync(join(tmpdir(), 'apichain-e2e-'));
      chmodSync(dataDirectory, 0o755);
      // A file with the permissions that a careless copy would leave.
      writeFileSync(join(dataDirectory, 'admin.kubeconfig'), '');
      chmodSync(join(dataDirectory, 'admin.kubeconfig'), 0o644);
      const debugSocket = join(dataDirectory, 'debug.sock');
      const args = [`--debug-socket-path=${debugSocket}`, ...(form === 'one process' ? ['--in-process'] : [])];
      const mask = process.umask(0);
      const chain = await startChain({ dataDirectory, args }).finally(() => process.umask(mask));
      try {
        const found = readdirSync(dataDirectory).filter((name) => statSync(join(dataDirectory, name)).isSocket());
        assert.deepEqual(found.sort(), [...sockets].sort());
        assert.deepEqual(openToOthers(dataDirectory), [], relative(tmpdir(), dataDirectory));
      } finally {
        await chain.stop();
        rmSync(dataDirectory, { recursive: true, force: true });
      }
    });
});
