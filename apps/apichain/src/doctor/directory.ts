import { accessSync, constants, existsSync, readdirSync, statSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorMessage } from '@apichain/meta';
import { type Check, type Finding, fail, ok, warn } from './finding.ts';

const about = 'data';
const othersBits = 0o077;
const lowBytes = 1 << 30;
const fullBytes = 64 << 20;

/** Checks the data directory: it exists, is writable, is not accessible to other users, and its disk has free space. */
export const checkDirectory: Check = ({ root, holder }) => {
  if (!existsSync(root)) return [ok(about, `${root} is not there yet: apichain up makes it`), ...room(dirname(root))];
  const findings = [...access(root), ...secrets(root), ...room(root)];
  const state = holder === undefined ? 'no chain runs on it' : `process ${holder} runs a chain on it`;
  return [ok(about, `${root}: ${state}`), ...findings];
};

function access(root: string): Finding[] {
  try {
    accessSync(root, constants.R_OK | constants.W_OK | constants.X_OK);
    return [];
  } catch (error) {
    return [fail(about, `${root} cannot be used by this user: ${errorMessage(error)}`)];
  }
}

/** Checks that other users cannot read private keys, because a key identifies its owner. Systems without permission bits are not checked. */
function secrets(root: string): Finding[] {
  if (process.platform === 'win32') return [];
  const pki = join(root, 'pki');
  const keys = existsSync(pki) ? readdirSync(pki).filter((name) => name.endsWith('.key')) : [];
  const files = [...keys.map((name) => join(pki, name)), join(root, 'admin.kubeconfig'), join(root, 'etcd.sock')];
  return files
    .filter((file) => existsSync(file) && isOpen(file) && isOpen(dirname(file)))
    .map((file) => fail(about, `${file} can be read by other users: chmod go= ${file}`));
}

const isOpen = (path: string) => (statSync(path).mode & othersBits) !== 0;

function room(path: string): Finding[] {
  if (!existsSync(path)) return [];
  const { bavail, bsize } = statfsSync(path);
  const free = bavail * bsize;
  const text = `${(free / 2 ** 30).toFixed(1)} GiB free on its disk`;
  if (free < fullBytes) return [fail(about, `${text}: writes will soon fail`)];
  return free < lowBytes ? [warn(about, text)] : [];
}
