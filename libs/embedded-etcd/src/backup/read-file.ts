import { open, type FileHandle } from 'node:fs/promises';
import { newestMeta } from '@apichain/bbolt';
import { errorMessage } from '@apichain/meta';
import { BackupError } from './backup-error.ts';

/** One read of the file system takes at most this many bytes. */
const largestRead = 2 ** 30;

/** Both meta pages of a bbolt file stand within this many bytes. */
const metaBytes = 2 ** 20 + 4_096;

/** How often a file is read that changes meanwhile. A busy etcd commits ten times a second, so a short pause is found soon. */
const attempts = 50;

async function readFrom(handle: FileHandle, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await handle.read(bytes, done, Math.min(length - done, largestRead), done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return bytes.subarray(0, done);
}

const transactionIn = async (handle: FileHandle, size: number): Promise<bigint | undefined> =>
  newestMeta(await readFrom(handle, Math.min(size, metaBytes)))?.transaction;

/**
 * The whole contents of a file. When an etcd writes to it at the same time, they are those of one transaction: pages that the last transaction uses are
 * overwritten only after the next has been written, and then the file is read again. Throws BackupError when the file cannot be read, or changes all the
 * time.
 */
export async function readWholeFile(path: string): Promise<Buffer> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, 'r');
    for (let attempt = 0; attempt < attempts; attempt++) {
      const { size } = await handle.stat();
      const before = await transactionIn(handle, size);
      const bytes = await readFrom(handle, size);
      const { size: sizeAfter } = await handle.stat();
      if (before === (await transactionIn(handle, sizeAfter))) return bytes;
    }
  } catch (error) {
    throw new BackupError(`${path} cannot be read: ${errorMessage(error)}`, { cause: error });
  } finally {
    await handle?.close();
  }
  throw new BackupError(`${path} is being written to without a pause: take a snapshot with etcdctl snapshot save`);
}
