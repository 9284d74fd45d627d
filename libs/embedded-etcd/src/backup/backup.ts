import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { BboltError, readBbolt } from '@apichain/bbolt';
import type { KeyValue } from '@apichain/etcd-api/mvccpb';
import { errorMessage, hasErrorCode } from '@apichain/meta';
import type { StoreContents } from '../engine/contents.ts';
import { isEmbeddedEtcdDirectory } from '../log/data-directory.ts';
import { beginsWithFrame } from '../log/frame.ts';
import type { RecordSink } from '../log/recover.ts';
import { isDatabaseLength, withoutTrailer } from '../snapshot/snapshot-chunks.ts';
import { BackupError } from './backup-error.ts';
import { checkpointContents, directoryContents } from './embedded-contents.ts';
import { readSchema, versionsOf, type EtcdSchema } from './etcd-schema.ts';
import { ProtobufError } from './protobuf-reader.ts';
import { isChange, replay } from './replay.ts';
import { readWal } from './wal.ts';
import { readWholeFile } from './read-file.ts';
import type { Version } from '../mvcc/version.ts';

/**
 * Passes the contents of an etcd's database to a sink, with the history since the last compaction. Throws BboltError or ProtobufError when the database
 * is damaged.
 */
function loadDatabase(schema: EtcdSchema, sink: RecordSink): void {
  const { compactRevision, leases } = schema;
  for (const { id, ttl } of leases) sink.fromCheckpoint({ kind: 'grant', id, ttl });
  /** The versions that a reader at the compacted revision sees. An interrupted compaction leaves more than these. */
  const oldest = new Map<string, Version>();
  let revision = Math.max(1, compactRevision);
  for (const version of versionsOf(schema)) {
    const { modRevision } = version.kv;
    if (modRevision > compactRevision) sink.fromCheckpoint({ kind: 'version', version });
    else if (version.deleted) oldest.delete(version.key);
    else oldest.set(version.key, version);
    revision = Math.max(revision, modRevision);
  }
  for (const version of oldest.values()) sink.fromCheckpoint({ kind: 'version', version });
  sink.fromCheckpoint({ kind: 'head', revision, compactRevision });
  sink.endCheckpoint();
}

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

const schemaOf = (path: string, bytes: Buffer): EtcdSchema => reading(path, () => readSchema(readBbolt(bytes)));

const contentsOf = (path: string, schema: EtcdSchema): StoreContents =>
  reading(path, () => ({ ...liveKeys(schema), leases: schema.leases }));

/** A snapshot file whose checksum has been checked: the checkpoint of an embedded store (the former form of its snapshots), or a database. */
export type Snapshot =
  | { readonly checkpoint: Buffer }
  | { readonly schema: EtcdSchema; readonly load: (sink: RecordSink) => void };

/** Opens a snapshot file. Throws BackupError when it is none, or is damaged; `load` does so too. */
export async function readSnapshot(path: string): Promise<Snapshot> {
  const bytes = await readWholeFile(path);
  if (beginsWithFrame(bytes)) return { checkpoint: withoutTrailer(path, bytes) };
  // First without a look at the checksum, to say of a file that is something else, or cut off, what it is.
  const schema = schemaOf(path, bytes);
  if (!isDatabaseLength(bytes.length)) withoutTrailer(path, bytes);
  return {
    schema,
    load: (sink) => {
      reading(path, () => {
        loadDatabase(schema, sink);
      });
    },
  };
}

async function fileBackup(path: string): Promise<Backup> {
  const snapshot = await readSnapshot(path);
  if ('checkpoint' in snapshot)
    return { ...(await checkpointContents(path, snapshot.checkpoint)), form: 'embedded snapshot', missing: undefined };
  return { ...contentsOf(path, snapshot.schema), form: 'etcd snapshot', missing: undefined };
}

/** The folder `member` of an etcd's data directory, given as itself or by the directory. */
const memberDirectory = (path: string): string | undefined =>
  [join(path, 'member'), path].find((directory) => existsSync(join(directory, 'snap', 'db')));

/** Applies the changes that stand in the write-ahead log of a member and not yet in its database. */
async function withLog(member: string, contents: StoreContents, schema: EtcdSchema): Promise<Omit<Backup, 'form'>> {
  const directory = join(member, 'wal');
  const log = await readWal(directory, schema.consistentIndex);
  if (log.end === 'absent')
    return { ...contents, missing: `${member} has no write-ahead log: the last changes may be missing` };
  const changes = log.entries.filter(isChange);
  // The log of the only member of a cluster contains nothing that is not committed.
  const committed = changes.filter(({ index }) => schema.memberCount === 1 || index <= log.commit);
  const replayed = await replay(contents, schema.hasAuthOrAlarm ? [] : committed);
  const left = changes.length - replayed.applied;
  const damage = log.end === 'damaged' ? [`${directory} is damaged: its last changes may be missing`] : [];
  const rest = left === 0 ? [] : [`${String(left)} changes at the end of ${directory} are missing`];
  return { ...replayed.contents, missing: [...damage, ...rest].join(', and ') || undefined };
}

async function directoryBackup(path: string): Promise<Backup> {
  if (isEmbeddedEtcdDirectory(path))
    return { ...(await directoryContents(path)), form: 'embedded data directory', missing: undefined };
  const member = memberDirectory(path);
  if (member === undefined) throw new BackupError(`${path} is no data directory of an etcd: it has no member/snap/db`);
  const database = join(member, 'snap', 'db');
  const schema = schemaOf(database, await readWholeFile(database));
  const contents = contentsOf(database, schema);
  try {
    return { ...(await withLog(member, contents, schema)), form: 'etcd data directory' };
  } catch (error) {
    if (error instanceof BackupError) throw error;
    throw new BackupError(`${join(member, 'wal')} cannot be read: ${errorMessage(error)}`, { cause: error });
  }
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
