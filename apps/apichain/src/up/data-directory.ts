import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { StartupError } from '../startup-error.ts';

/** Where one chain keeps its certificates, its etcd and its logs. */
export interface DataDirectory {
  readonly path: string;
  readonly pki: string;
  readonly etcd: string;
  readonly logs: string;
  readonly kubeconfig: string;
  /** Gives the lock back. */
  release(): void;
}

/**
 * Creates the directory where needed and takes its lock, so that two chains never share an etcd data directory.
 * Throws StartupError when it cannot be written or another running chain holds it.
 */
export function openDataDirectory(path: string): DataDirectory {
  const root = resolve(path);
  const directory = {
    path: root,
    pki: join(root, 'pki'),
    etcd: join(root, 'etcd'),
    logs: join(root, 'logs'),
    kubeconfig: join(root, 'admin.kubeconfig'),
  };
  try {
    for (const folder of [root, directory.pki, directory.etcd]) mkdirSync(folder, { recursive: true, mode: 0o700 });
    mkdirSync(directory.logs, { recursive: true });
  } catch (error) {
    throw new StartupError(`--data-dir ${root} cannot be used: ${(error as Error).message}`);
  }
  const lock = join(root, 'lock');
  takeLock(lock, root);
  return { ...directory, release: () => rmSync(lock, { force: true }) };
}

function takeLock(lock: string, root: string): void {
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      const file = openSync(lock, 'wx');
      writeSync(file, `${process.pid}\n`);
      closeSync(file);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST')
        throw new StartupError(`--data-dir ${root} cannot be written: ${(error as Error).message}`);
      const holder = Number(readFileSync(lock, 'utf8'));
      if (isRunning(holder))
        throw new StartupError(
          `--data-dir ${root} is in use by process ${holder}: stop it or choose another directory`,
        );
      rmSync(lock, { force: true });
    }
  }
  throw new StartupError(`--data-dir ${root} is being taken by another process`);
}

function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
