import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { StartupError } from '../startup-error.ts';

/** Where one chain keeps its certificates, its etcd and its logs. */
export interface DataDirectory {
  readonly path: string;
  readonly pki: string;
  readonly etcd: string;
  /** Of the embedded one. */
  readonly embeddedEtcd: string;
  readonly logs: string;
  readonly kubeconfig: string;
  /** Process ids of the running parts by name, as JSON. */
  readonly pids: string;
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
    embeddedEtcd: join(root, 'embedded-etcd'),
    logs: join(root, 'logs'),
    kubeconfig: join(root, 'admin.kubeconfig'),
    pids: join(root, 'pids.json'),
  };
  try {
    for (const folder of [root, directory.pki, directory.etcd]) mkdirSync(folder, { recursive: true, mode: 0o700 });
    mkdirSync(directory.logs, { recursive: true });
  } catch (error) {
    throw new StartupError(`--data-dir ${root} cannot be used: ${(error as Error).message}`);
  }
  const lock = join(root, 'lock');
  takeLock(lock, root);
  stopLeftovers(directory.pids, root);
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

/** A chain that was killed may have left its etcd running on this directory: it would keep a new one out. */
function stopLeftovers(file: string, root: string): void {
  let pids: Record<string, number>;
  try {
    pids = JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>;
  } catch {
    return;
  }
  for (const pid of Object.values(pids)) {
    const { stdout } = spawnSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
    if (stdout?.includes(root)) process.kill(pid, 'SIGKILL');
  }
  rmSync(file, { force: true });
}
