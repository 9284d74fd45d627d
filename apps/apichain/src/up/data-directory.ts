import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, linkSync, lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { errorMessage, hasErrorCode, isClosedToOthers, makeDirectory } from '@apichain/meta';
import { StartupError, type ServiceName } from '@apichain/chain/setup';

/** The paths at which one chain keeps its certificates, its etcd and its logs. */
export interface DataDirectory {
  readonly path: string;
  readonly pki: string;
  readonly etcd: string;
  /** The data directory of the embedded etcd. */
  readonly embeddedEtcd: string;
  readonly logs: string;
  readonly kubeconfig: string;
  /** The socket of the embedded etcd, when it is a separate process. */
  readonly socket: string;
  /** Unix sockets for the requests from the previous service in the chain, by service name. Only this user can enter their folder. */
  readonly linkSockets: Readonly<Record<'kube-core' | 'apiextensions', string>>;
  /** Unix sockets for profiles, by service name. */
  readonly debugSockets: Readonly<Record<ServiceName, string>>;
  /** The socket at which a running chain takes commands. */
  readonly controlSocket: string;
  /** The file with the URL of the running chain's store. */
  readonly storeUrl: string;
  /** The file with the process ids of the running parts by name, as JSON. */
  readonly pids: string;
  /** Releases the lock. */
  release(): void;
}

/**
 * Creates the directory if needed and locks it, so that two chains never share an etcd data directory.
 * Throws StartupError when the directory is not writable, another running chain holds the lock, or the embedded store waits for the end of an
 * interrupted restore or repair.
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
    debugSockets: {
      aggregator: debugSocketOf(root, 'aggregator'),
      'kube-core': debugSocketOf(root, 'kube-core'),
      apiextensions: debugSocketOf(root, 'apiextensions'),
    },
    controlSocket: controlSocketOf(root),
    storeUrl: join(root, 'store-url'),
  };
  createDataDirectory(root);
  refuseInterruptedSwap(directory.embeddedEtcd);
  const release = takeLock(root);
  stopLeftovers(root);
  return { ...directory, release };
}

/**
 * Locks the data directory of a chain that does not run, for work on its files: no chain starts meanwhile. Returns what releases the lock. Throws
 * StartupError when a chain runs on it, or when it cannot be written.
 */
export function lockStoppedChain(root: string): () => void {
  const holder = lockHolder(root);
  if (holder !== undefined)
    throw new StartupError(`process ${holder} runs the chain on ${root}: stop it first (apichain down)`);
  return takeLock(root);
}

/** The store is away between the last two steps of a restore or a repair. A start would make an empty one in its place. */
function refuseInterruptedSwap(store: string): void {
  if (existsSync(store)) return;
  if (existsSync(`${store}.repaired`))
    throw new StartupError(`a repair of ${store} was interrupted: run apichain doctor --repair again`);
  if (existsSync(`${store}.restored`))
    throw new StartupError(
      `a restore of ${store} was interrupted: remove ${store}.restored and restore the snapshot again`,
    );
}

/** Creates the folders of a data directory that do not exist. Throws StartupError when that is not possible. Returns the folder of the logs. */
export function createDataDirectory(root: string): string {
  const logs = join(root, 'logs');
  try {
    const isNew = !existsSync(root);
    for (const folder of [root, join(root, 'pki'), join(root, 'etcd'), logs]) makeDirectory(folder, 0o700);
    // The directory holds keys, and is often below a repository.
    if (isNew) writeFileSync(join(root, '.gitignore'), '*\n', { mode: 0o600 });
  } catch (error) {
    throw new StartupError(`--data-dir ${root} cannot be used: ${errorMessage(error)}`);
  }
  return logs;
}

/** The socket at which the chain that runs on a data directory takes commands. */
export const controlSocketOf = (root: string): string => socketOf(root, 'up.sock');

/** The maximum length of a Unix socket path that all supported systems accept. */
const maxSocketPath = 100;

/** The path of a socket: in the data directory, which only this user can access, or in the temporary directory when that path is too long. */
function socketOf(root: string, file: string): string {
  const path = join(root, file);
  if (Buffer.byteLength(path) <= maxSocketPath) return path;
  const name = createHash('sha256').update(root).digest('hex').slice(0, 16);
  const folder = join(tmpdir(), `apichain-${process.getuid?.() ?? 0}-${name}`);
  makeDirectory(folder, 0o700);
  // Another user could have created this directory, and would then control its sockets.
  if (lstatSync(folder).isSymbolicLink() || !isClosedToOthers(folder))
    throw new StartupError(`${folder} is open to other users: remove it, or choose a --data-dir with a shorter path`);
  return join(folder, file);
}

/** The debug socket of a service of the chain on a data directory. Throws StartupError like `openDataDirectory`. */
export const debugSocketOf = (root: string, service: ServiceName): string => socketOf(root, `${service}-debug.sock`);

/** Returns what releases the lock. */
function takeLock(root: string): () => void {
  const lock = join(root, 'lock');
  // The lock appears with its content. An empty one would look like that of a chain that is gone.
  const own = `${lock}.${process.pid}`;
  try {
    writeFileSync(own, `${process.pid}\n`, { mode: 0o600 });
    for (let attempt = 0; attempt < 2; attempt++) {
      if (isLinked(own, lock)) return () => releaseLock(lock);
      refuseTaken(root);
      rmSync(lock, { force: true });
    }
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw new StartupError(`--data-dir ${root} cannot be written: ${errorMessage(error)}`);
  } finally {
    rmSync(own, { force: true });
  }
  throw new StartupError(`--data-dir ${root} is being taken by another process`);
}

/** Gives a file a second name. False when a file of that name exists. */
function isLinked(file: string, name: string): boolean {
  try {
    linkSync(file, name);
    return true;
  } catch (error) {
    if (hasErrorCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/** Throws StartupError when a chain runs on a data directory. Writes nothing; the directory need not exist. */
export function refuseTaken(root: string): void {
  const holder = lockHolder(root);
  if (holder === undefined) return;
  throw new StartupError(
    `--data-dir ${root} is in use by process ${holder}: stop it (apichain down) or choose another directory`,
  );
}

/** Removes the lock of this process. One that another process has taken since, because it did not see this one, stays. */
function releaseLock(lock: string): void {
  if (pidIn(lock) === process.pid) rmSync(lock, { force: true });
}

/** The process id in a lock; undefined without one, also when it has been removed just now. */
function pidIn(lock: string): number | undefined {
  try {
    return Number(readFileSync(lock, 'utf8'));
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT') || hasErrorCode(error, 'ENOTDIR')) return undefined;
    throw error;
  }
}

/** The command line of a chain. It has a path with the name of the project, unless the program was started in its own folder. */
const runsChain = /apichain|\.[cm]?[jt]s up(?: |$)/;

/** The process id of the chain that runs on a data directory. */
export function lockHolder(root: string): number | undefined {
  const pid = pidIn(join(root, 'lock'));
  if (pid === undefined || pid === process.pid || !isRunning(pid)) return undefined;
  // After a crash of the machine, another program may have the same process id.
  const command = commandLineOf(pid);
  return command === undefined || runsChain.test(command) ? pid : undefined;
}

/** The running processes of a chain by name, as recorded by the chain. */
export function notedProcesses(root: string): ReadonlyMap<string, number> {
  try {
    const pids = Object.entries(JSON.parse(readFileSync(join(root, 'pids.json'), 'utf8')) as Record<string, number>);
    return new Map(pids.filter(([, pid]) => isRunning(pid)));
  } catch (error) {
    // The chain has stopped, or the machine has crashed while the file was being written.
    if (hasErrorCode(error, 'ENOENT') || error instanceof SyntaxError) return new Map();
    throw error;
  }
}

/**
 * Kills the processes that a killed chain has left running on its directory, because its etcd would block a new one. Returns the number of
 * killed processes.
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

/** The command line of a process. Undefined where the system does not provide it. */
function commandLineOf(pid: number): string | undefined {
  if (existsSync('/proc/self/cmdline')) return commandLineInProc(pid);
  const { stdout } = spawnSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
  return typeof stdout === 'string' && stdout !== '' ? stdout : undefined;
}

/** Empty when the process has ended meanwhile. */
function commandLineInProc(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT') || hasErrorCode(error, 'ESRCH')) return '';
    throw error;
  }
}

/** Waits until a killed process has ended, because it holds its locks and ports until then. */
function waitUntilGone(pid: number): void {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let attempt = 0; attempt < 200 && isRunning(pid); attempt++) Atomics.wait(pause, 0, 0, 10);
}
