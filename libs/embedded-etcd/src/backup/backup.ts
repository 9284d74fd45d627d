import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { BboltError, readBbolt } from '@apichain/bbolt';
import { hasErrorCode } from '@apichain/meta';
import type { StoreContents } from '../engine/contents.ts';
import type { KeyValue } from '../generated/kv.ts';
import { isEmbeddedEtcdDirectory } from '../log/data-directory.ts';
import { beginsWithFrame } from '../log/frame.ts';
import { BackupError } from './backup-error.ts';
import { checkpointContents, directoryContents } from './embedded-contents.ts';
import { readSchema, versionsOf, type EtcdSchema } from './etcd-schema.ts';
import { ProtobufError } from './protobuf-reader.ts';
import { readWholeFile } from './read-file.ts';
import { hasTrailer, withoutTrailer } from './trailer.ts';

/** What a path turned out to be. */
export type BackupForm = 'etcd snapshot' | 'etcd data directory' | 'embedded snapshot' | 'embedded data directory';

/** The last state of a store that nobody serves: its live keys, with the revisions that they had there, and its leases. */
export interface Backup extends StoreContents {
  readonly form: BackupForm;
  /**
   * What the state lacks, as one line for a warning; undefined when it is complete. Only the data directory of an etcd can lack something: changes that
   * stand in its write-ahead log and not yet in its database.
   */
  readonly missing: string | undefined;
}

/** The live keys and the revision of a database. A key of a backup appears once for each of its revisions, and the last one counts. */
function liveKeys(schema: EtcdSchema): { revision: number; keys: Map<string, KeyValue> } {
  const found = new Map<string, KeyValue>();
  let revision = Math.max(1, schema.compactRevision);
  for (const { key, kv, deleted } of versionsOf(schema)) {
    if (deleted) found.delete(key);
    else found.set(key, kv);
    if (kv.modRevision > revision) revision = kv.modRevision;
  }
  const keys = new Map<string, KeyValue>();
  for (const key of [...found.keys()].sort()) {
    const kv = found.get(key);
    if (kv !== undefined) keys.set(key, kv);
  }
  return { revision, keys };
}

/** Runs a reader of a database. Throws BackupError when the database is damaged. */
function reading<Result>(path: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (error instanceof BboltError || error instanceof ProtobufError)
      throw new BackupError(`${path} is no backup of an etcd, or is damaged: ${error.message}`, { cause: error });
    throw error;
  }
}

const databaseContents = (path: string, bytes: Buffer): StoreContents =>
  reading(path, () => {
    const schema = readSchema(readBbolt(bytes));
    return { ...liveKeys(schema), leases: schema.leases };
  });

async function fileBackup(path: string): Promise<Backup> {
  const bytes = await readWholeFile(path);
  const isEmbedded = beginsWithFrame(bytes);
  const body = isEmbedded || hasTrailer(bytes.length) ? withoutTrailer(path, bytes) : bytes;
  const contents = isEmbedded ? await checkpointContents(path, body) : databaseContents(path, body);
  return { ...contents, form: isEmbedded ? 'embedded snapshot' : 'etcd snapshot', missing: undefined };
}

/** The folder `member` of an etcd's data directory, given as itself or by the directory. */
const memberDirectory = (path: string): string | undefined =>
  [join(path, 'member'), path].find((directory) => existsSync(join(directory, 'snap', 'db')));

async function directoryBackup(path: string): Promise<Backup> {
  if (isEmbeddedEtcdDirectory(path))
    return { ...(await directoryContents(path)), form: 'embedded data directory', missing: undefined };
  const member = memberDirectory(path);
  if (member === undefined) throw new BackupError(`${path} is no data directory of an etcd: it has no member/snap/db`);
  const database = join(member, 'snap', 'db');
  const contents = databaseContents(database, await readWholeFile(database));
  return { ...contents, form: 'etcd data directory', missing: undefined };
}

/**
 * Reads the last state of a store from one of:
 * - a file that `etcdctl snapshot save` saved of an etcd or of an embedded store, or an etcd's `member/snap/db`
 * - a data directory of an etcd (or its folder `member`)
 * - a data directory of an embedded store
 *
 * Nothing is locked or changed, and a store may run on the directory: it is read as it stands. Values are views of the file, which stays in memory as
 * long as they do. Throws BackupError when the path holds nothing of these, or when it is damaged.
 */
export async function readBackup(path: string): Promise<Backup> {
  let isDirectory: boolean;
  try {
    isDirectory = statSync(path).isDirectory();
  } catch (error) {
    if (!hasErrorCode(error, 'ENOENT', 'ENOTDIR', 'EACCES')) throw error;
    throw new BackupError(
      `${path} cannot be read: ${hasErrorCode(error, 'EACCES') ? 'permission denied' : 'no such file or directory'}`,
    );
  }
  return isDirectory ? directoryBackup(path) : fileBackup(path);
}
