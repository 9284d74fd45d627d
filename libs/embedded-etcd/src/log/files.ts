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
/** Whether a file shows that the directory contains, or has contained, a store. */
export const isDataFile = (name: string): boolean => dataFile.test(name) || name === 'manifest';

/** The data files in the order of their sequence numbers, and the remains of unfinished checkpoints. */
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

/** Makes the file names in a directory durable. */
export async function syncDirectory(directory: string): Promise<void> {
  // Windows cannot open a directory; its file system journals file names.
  if (process.platform === 'win32') return;
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * On Linux a write can be made synchronous, so that one call returns only when the data is on disk. Other platforms need a sync after each write.
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

/** Writes all of `bytes` at `position`, in as many writes as necessary. */
export async function writeAll(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}
