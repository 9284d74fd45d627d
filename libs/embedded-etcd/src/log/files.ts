import { constants } from 'node:fs';
import { open, readdir, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The files of a data directory. `checkpoint-N` holds the state after the frame with sequence number N; `log-N` holds the frames from N on.
 * `.partial` is a checkpoint that is being written.
 */
export type FileKind = 'checkpoint' | 'log';
export interface DataFile {
  readonly kind: FileKind;
  readonly sequence: number;
  readonly path: string;
}

const partial = '.partial';
const digits = 16;
export const filePath = (directory: string, kind: FileKind, sequence: number): string =>
  join(directory, `${kind}-${String(sequence).padStart(digits, '0')}`);
export const partialPath = (directory: string, sequence: number): string =>
  `${filePath(directory, 'checkpoint', sequence)}${partial}`;

const dataFile = /^(checkpoint|log)-(\d{16})$/;
/** Any of them shows that a directory holds, or has held, a store. */
export const isDataFile = (name: string): boolean => dataFile.test(name) || name === 'manifest';

/** The data files in the order of their sequence numbers, and the leftovers of checkpoints that were never finished. */
export async function listFiles(directory: string): Promise<{ files: DataFile[]; leftovers: string[] }> {
  const names = await readdir(directory);
  const files = names.flatMap((name): DataFile[] => {
    const [, kind, sequence] = dataFile.exec(name) ?? [];
    if ((kind !== 'checkpoint' && kind !== 'log') || sequence === undefined) return [];
    return [{ kind, sequence: Number(sequence), path: join(directory, name) }];
  });
  return {
    files: files.sort((a, b) => a.sequence - b.sequence),
    leftovers: names.filter((name) => name.endsWith(partial)).map((name) => join(directory, name)),
  };
}

/** Makes the names in a directory survive a power loss. */
export async function syncDirectory(directory: string): Promise<void> {
  // Windows cannot open a directory; its file system keeps names in its journal.
  if (process.platform === 'win32') return;
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Where the operating system can be told that a write ends only when its data is on disk, that is one call instead of two. Elsewhere a write
 * needs a sync after it.
 */
const syncsWrites = process.platform === 'linux';
const syncFlag = syncsWrites ? constants.O_DSYNC : 0;

/** Opens a log file whose writes are made durable by `writeDurably`. */
export const openLog = (path: string, isNew: boolean): Promise<FileHandle> =>
  open(path, constants.O_RDWR | syncFlag | (isNew ? constants.O_CREAT | constants.O_TRUNC : 0), 0o600);

export async function writeDurably(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  await writeAll(handle, bytes, position);
  if (!syncsWrites) await handle.datasync();
}

/** Writes all of `bytes` at `position`, however many writes that takes. */
export async function writeAll(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}
