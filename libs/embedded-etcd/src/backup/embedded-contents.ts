import { readdir } from 'node:fs/promises';
import { errorMessage } from '@apichain/meta';
import { contentsAt, type StoreContents } from '../engine/contents.ts';
import { loadInto } from '../engine/load.ts';
import { Lessor } from '../lease/lessor.ts';
import { readCheckpoint, readDirectory, type RecordSink } from '../log/recover.ts';
import { MvccStore } from '../mvcc/mvcc-store.ts';
import { BackupError } from './backup-error.ts';

/** How often a directory is read whose files are replaced meanwhile. */
const attempts = 5;

/** Reads records of an embedded store. Throws BackupError with the message of the error of `read`. */
async function contentsFrom(read: (sink: RecordSink) => Promise<void> | void): Promise<StoreContents> {
  const store = new MvccStore();
  const lessor = new Lessor();
  try {
    await read(loadInto(store, lessor));
  } catch (error) {
    throw new BackupError(errorMessage(error), { cause: error });
  }
  return contentsAt(store, lessor, store.head);
}

/** The contents of a checkpoint of an embedded store, the form of its snapshots before they were databases of etcd. */
export const checkpointContents = (path: string, checkpoint: Buffer): Promise<StoreContents> =>
  contentsFrom((sink) => {
    readCheckpoint(path, checkpoint, (record) => {
      if (record.kind !== 'file') sink.fromCheckpoint(record);
    });
    sink.endCheckpoint();
  });

const namesIn = async (directory: string): Promise<string> => (await readdir(directory)).sort().join('\n');

/**
 * The contents of a data directory of an embedded store, also while the store runs: without its lock, and without a change. Throws BackupError when it
 * is damaged.
 */
export async function directoryContents(directory: string): Promise<StoreContents> {
  for (let attempt = 1; ; attempt++) {
    const before = await namesIn(directory);
    try {
      return await contentsFrom(async (sink) => {
        await readDirectory(directory, sink);
      });
    } catch (error) {
      // A checkpoint has replaced files between their listing and their reading.
      if (attempt === attempts || before === (await namesIn(directory))) throw error;
    }
  }
}
