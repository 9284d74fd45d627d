import { closeSync, existsSync, openSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartupError } from '@apichain/chain/setup';
import { hasErrorCode } from '@apichain/meta';

const lockTimeoutMs = 5_000;
const pollMs = 50;

/**
 * Runs work while files are locked as kubectl locks kubeconfigs: by a file FILE.lock beside each. Files in folders that do not exist, or that this user
 * cannot write to, need no lock. Throws StartupError when a lock of another program stays.
 */
export async function withFilesLocked<Result>(
  paths: readonly string[],
  work: () => Result,
  waitMs = lockTimeoutMs,
): Promise<Result> {
  const held: string[] = [];
  try {
    // All programs take the locks in this order, so that none waits for another for ever.
    for (const path of [...paths].sort()) if (await takeLock(`${path}.lock`, waitMs)) held.push(`${path}.lock`);
    return work();
  } finally {
    for (const lock of held) rmSync(lock, { force: true });
  }
}

async function takeLock(lock: string, waitMs: number): Promise<boolean> {
  for (const deadline = Date.now() + waitMs; ; await sleep(pollMs)) {
    try {
      closeSync(openSync(lock, 'wx', 0));
      return true;
    } catch (error) {
      if (['ENOENT', 'ENOTDIR', 'EACCES', 'EROFS'].some((code) => hasErrorCode(error, code))) return false;
      if (!hasErrorCode(error, 'EEXIST')) throw error;
    }
    if (Date.now() > deadline && existsSync(lock))
      throw new StartupError(`another program holds ${lock}: remove it if none runs`);
  }
}
