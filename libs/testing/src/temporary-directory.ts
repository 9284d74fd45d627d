import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasErrorCode } from '@apichain/meta';

const prefix = 'apichain-test-';
const ownerFile = 'owner.json';
/** A directory without an owner may be one that another process is about to create. It is removed after this time. */
const ownerlessMs = 60 * 60_000;

/** The process that a directory belongs to. */
interface Owner {
  readonly pid: number;
  /** Where the pid has its meaning: the host and, in Linux, the namespace of pids. */
  readonly place: string;
}

/** The directories of this process, which removes them when it exits. */
const directories = new Set<string>();
let isPrepared = false;

/**
 * Makes a directory that only this user can read. It is removed by `removeTemporaryDirectory`, otherwise when the process exits, and otherwise,
 * because a process may be killed, by the first call in a later process.
 */
export function makeTemporaryDirectory(parent = tmpdir()): string {
  if (!isPrepared) {
    isPrepared = true;
    process.once('exit', () => directories.forEach(removeTemporaryDirectory));
    removeAbandonedDirectories(parent);
  }
  const directory = mkdtempSync(join(parent, prefix));
  directories.add(directory);
  const owner: Owner = { pid: process.pid, place: placeOfPids() };
  writeFileSync(join(directory, ownerFile), JSON.stringify(owner), { mode: 0o600 });
  return directory;
}

/** Removes the directory with its contents, if it exists. */
export function removeTemporaryDirectory(directory: string): void {
  rmSync(directory, { recursive: true, force: true });
  directories.delete(directory);
}

/** Removes the directories whose process has ended, of this user and this host. Others are left alone. */
export function removeAbandonedDirectories(parent = tmpdir()): void {
  for (const name of readdirSync(parent)) {
    const directory = join(parent, name);
    if (name.startsWith(prefix) && isAbandoned(directory)) rmSync(directory, { recursive: true, force: true });
  }
}

function isAbandoned(directory: string): boolean {
  try {
    const { uid, mtimeMs } = statSync(directory);
    if (process.getuid !== undefined && uid !== process.getuid()) return false;
    const owner = ownerOf(directory);
    if (owner === undefined) return mtimeMs < Date.now() - ownerlessMs;
    return owner.place === placeOfPids() && !isRunning(owner.pid);
  } catch (error) {
    // Another process has removed the directory in the meantime.
    if (hasErrorCode(error, 'ENOENT')) return false;
    throw error;
  }
}

/** Undefined when the process was killed before it wrote the file, or while it did. */
function ownerOf(directory: string): Owner | undefined {
  try {
    const { pid, place } = JSON.parse(readFileSync(join(directory, ownerFile), 'utf8')) as Partial<Owner>;
    return typeof pid === 'number' && typeof place === 'string' ? { pid, place } : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || hasErrorCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !hasErrorCode(error, 'ESRCH');
  }
}

function placeOfPids(): string {
  if (process.platform !== 'linux') return hostname();
  return `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`;
}
