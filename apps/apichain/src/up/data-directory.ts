import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, existsSync, lstatSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { errorMessage, hasErrorCode, isClosedToOthers, makeDirectory } from '@apichain/meta';
import { StartupError } from '@apichain/chain/setup';

/** Where one chain keeps its certificates, its etcd and its logs. */
export interface DataDirectory {
  readonly path: string;
  readonly pki: string;
  readonly etcd: string;
  /** Of the embedded one. */
  readonly embeddedEtcd: string;
  readonly logs: string;
  readonly kubeconfig: string;
  /** Where the embedded etcd answers, when it is a process of its own. */
  readonly socket: string;
  /** Unix sockets on which services serve the one before them in the chain, by name; only this user may enter their folder. */
  readonly linkSockets: Readonly<Record<'kube-core' | 'apiextensions', string>>;
  /** The URL at which the store of the running chain answers. */
  readonly storeUrl: string;
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
    socket: socketOf(root, 'etcd.sock'),
    linkSockets: {
      'kube-core': socketOf(root, 'kube-core.sock'),
      apiextensions: socketOf(root, 'apiextensions.sock'),
    },
    storeUrl: join(root, 'store-url'),
  };
  try {
    for (const folder of [root, directory.pki, directory.etcd, directory.logs]) makeDirectory(folder, 0o700);
  } catch (error) {
    throw new StartupError(`--data-dir ${root} cannot be used: ${errorMessage(error)}`);
  }
  const lock = join(root, 'lock');
  takeLock(lock, root);
  stopLeftovers(root);
  return { ...directory, release: () => rmSync(lock, { force: true }) };
}

/** The longest path that every system can bind a Unix socket to. */
const maxSocketPath = 100;

/** In the data directory, which is this user's alone; where its path is too long, in the temporary directory under a name made of it. */
function socketOf(root: string, file: string): string {
  const path = join(root, file);
  if (Buffer.byteLength(path) <= maxSocketPath) return path;
  const name = createHash('sha256').update(root).digest('hex').slice(0, 16);
  const folder = join(tmpdir(), `apichain-${process.getuid?.() ?? 0}-${name}`);
  makeDirectory(folder, 0o700);
  // Anybody may make a directory there, and would then own the sockets in it.
  if (lstatSync(folder).isSymbolicLink() || !isClosedToOthers(folder))
    throw new StartupError(`${folder} is open to other users: remove it, or choose a --data-dir with a shorter path`);
  return join(folder, file);
}

function takeLock(lock: string, root: string): void {
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      const file = openSync(lock, 'wx', 0o600);
      writeSync(file, `${process.pid}\n`);
      closeSync(file);
      return;
    } catch (error) {
      if (!hasErrorCode(error, 'EEXIST'))
        throw new StartupError(`--data-dir ${root} cannot be written: ${errorMessage(error)}`);
      const holder = lockHolder(root);
      if (holder !== undefined)
        throw new StartupError(
          `--data-dir ${root} is in use by process ${holder}: stop it (apichain down) or choose another directory`,
        );
      rmSync(lock, { force: true });
    }
  }
  throw new StartupError(`--data-dir ${root} is being taken by another process`);
}

/** The process whose chain runs on a data directory. */
export function lockHolder(root: string): number | undefined {
  const lock = join(root, 'lock');
  if (!existsSync(lock)) return undefined;
  const pid = Number(readFileSync(lock, 'utf8'));
  if (pid === process.pid || !isRunning(pid)) return undefined;
  // After a crash of the machine the number may be another program's.
  const command = commandLineOf(pid);
  return command === undefined || command.includes('apichain') ? pid : undefined;
}

/** The processes of a chain that are running, by what they are, as the chain has noted them. */
export function notedProcesses(root: string): ReadonlyMap<string, number> {
  const file = join(root, 'pids.json');
  if (!existsSync(file)) return new Map();
  try {
    const pids = Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>);
    return new Map(pids.filter(([, pid]) => isRunning(pid)));
  } catch (error) {
    // The machine may have gone down while it was written.
    if (error instanceof SyntaxError) return new Map();
    throw error;
  }
}

/**
 * Ends what a chain that was killed has left running on its directory: its etcd would keep a new one out. Returns how many processes those were.
 */
export function stopLeftovers(root: string): number {
  let ended = 0;
  for (const pid of notedProcesses(root).values()) {
    if (pid === process.pid || commandLineOf(pid)?.includes(root) !== true) continue;
    process.kill(pid, 'SIGKILL');
    waitUntilGone(pid);
    ended++;
  }
  rmSync(join(root, 'pids.json'), { force: true });
  return ended;
}

export function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasErrorCode(error, 'EPERM');
  }
}

/** With what a process was started; undefined where the system does not tell. */
function commandLineOf(pid: number): string | undefined {
  const file = `/proc/${pid}/cmdline`;
  if (existsSync(file)) return readFileSync(file, 'utf8').replaceAll('\0', ' ');
  const { stdout } = spawnSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
  return typeof stdout === 'string' && stdout !== '' ? stdout : undefined;
}

/** A process that was killed holds its locks and ports for a moment yet. */
function waitUntilGone(pid: number): void {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let attempt = 0; attempt < 200 && isRunning(pid); attempt++) Atomics.wait(pause, 0, 0, 10);
}
