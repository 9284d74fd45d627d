import { open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage } from '@apichain/meta';
import { frameHeaderLength, isTornWrite, readFrame, type Frame } from './frame.ts';
import { listFiles, type DataFile } from './files.ts';
import { manifestName, readManifest, type Manifest, DamageError } from './manifest.ts';
import { decodeRecords, type LogRecord } from './record.ts';
import { randomBytes } from 'node:crypto';

/** Receives the contents of a data directory, in this order. */
export interface RecordSink {
  /** A record of the checkpoint; versions come key by key. */
  fromCheckpoint(record: LogRecord): void;
  /** Called after the last record of the checkpoint, and also when there is no checkpoint. */
  endCheckpoint(): void;
  /** A record of the log, in the order of the changes. */
  fromLog(record: LogRecord): void;
  /** Called with the sequence number of the last write that has been passed as a whole: after a checkpoint, and after each write of the log. */
  endWrite?(sequence: number): void;
}

/** The position at which the log continues. */
export interface LogPosition {
  readonly identity: Identity | undefined;
  /** The last sequence number in use. */
  readonly sequence: number;
  /** The log file to append to, if there is one, and the offset in it. */
  readonly path: string | undefined;
  readonly length: number;
  /** The size of the checkpoint, in bytes. */
  readonly checkpointBytes: number;
}
export interface Identity {
  readonly clusterId: string;
  readonly memberId: string;
}

const refuse = (path: string, offset: number, what: string): never => {
  throw new DamageError(
    `embedded etcd: ${path} is damaged at byte ${String(offset)} (${what}); restore a snapshot, keep what is before it (apichain doctor --repair), or remove the data directory`,
  );
};

function decode(path: string, offset: number, { payload }: Frame): LogRecord[] {
  try {
    return [...decodeRecords(payload)];
  } catch (error) {
    return refuse(path, offset, errorMessage(error));
  }
}

/**
 * Reads the frames of a checkpoint and passes their records to `apply`. `bytes` may continue after the last frame. Throws Error unless the
 * checkpoint is complete.
 */
export function readCheckpoint(path: string, bytes: Buffer, apply: (record: LogRecord) => void): void {
  let at = 0;
  let records = 0;
  for (let sequence = 0; ; sequence++) {
    const frame = readFrame(bytes, at);
    if (frame === undefined) return refuse(path, at, 'a checksum does not match');
    if (frame.sequence !== sequence) return refuse(path, at, 'a part is missing');
    for (const record of decode(path, at, frame)) {
      if (record.kind === 'end') {
        if (record.records !== records) refuse(path, at, 'records are missing');
        return;
      }
      records++;
      apply(record);
    }
    at += frameHeaderLength + frame.payload.length;
  }
}

async function cutOff(path: string, length: number): Promise<void> {
  const handle = await open(path, 'r+');
  try {
    await handle.truncate(length);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Throws Error when the manifest shows that the directory contained more than was found. */
function checkComplete(directory: string, manifest: Manifest | undefined, found: number): void {
  if (manifest === undefined || found >= manifest.sequence) return;
  const missing = found === 0 ? 'all of its' : `its last ${String(manifest.sequence - found)}`;
  throw new DamageError(
    `embedded etcd: ${directory} has lost ${missing} writes (a log file is empty, cut or missing): restore its files or a snapshot, or remove ${found === 0 ? 'the directory to begin with an empty store' : `${join(directory, manifestName)} to go on with what is left (apichain doctor --repair)`}`,
  );
}

/** The remains of a write that a crash interrupted, or that is under way: what follows `length` in a log file. */
interface TornWrite {
  readonly path: string;
  readonly length: number;
}

interface ReadLog {
  /** The length of the valid part, in bytes. */
  readonly length: number;
  readonly torn: TornWrite | undefined;
}

/**
 * Reads one log file. Only the last file may end in an interrupted write, unless the manifest shows that more had been acknowledged, which `check`
 * refuses.
 */
async function readLog(
  file: DataFile,
  isLast: boolean,
  next: { sequence: number },
  apply: (record: LogRecord) => void,
  check: () => void,
  endWrite: ((sequence: number) => void) | undefined,
): Promise<ReadLog> {
  const bytes = await readFile(file.path);
  let at = 0;
  while (at < bytes.length) {
    const frame = readFrame(bytes, at);
    if (frame === undefined) {
      if (!isLast || !isTornWrite(bytes, at)) refuse(file.path, at, 'a checksum does not match');
      check();
      return { length: at, torn: { path: file.path, length: at } };
    }
    if (frame.sequence !== next.sequence) refuse(file.path, at, `write ${String(next.sequence)} is missing`);
    for (const record of decode(file.path, at, frame)) apply(record);
    endWrite?.(next.sequence);
    next.sequence++;
    at += frameHeaderLength + frame.payload.length;
  }
  return { length: at, torn: undefined };
}

interface DirectoryContents {
  readonly position: LogPosition;
  /** Files that are no longer needed. */
  readonly obsolete: readonly string[];
  readonly torn: TornWrite | undefined;
}

/**
 * Reads a data directory into `sink`, and changes nothing: the newest checkpoint, then the log after it. Throws Error with the file and the offset when
 * acknowledged data is damaged or missing. `reads` replaces the function that reads the manifest.
 */
export async function readDirectory(
  directory: string,
  sink: RecordSink,
  reads: (directory: string) => Promise<Manifest | undefined> = readManifest,
): Promise<DirectoryContents> {
  const { files, leftovers } = await listFiles(directory);
  const manifest = await reads(directory);
  let identity: Identity | undefined;
  const identified = (path: string, apply: (record: LogRecord) => void) => (record: LogRecord) => {
    if (record.kind !== 'file') {
      apply(record);
      return;
    }
    if (identity !== undefined && identity.clusterId !== record.clusterId) refuse(path, 0, 'it is of another store');
    identity = record;
  };

  const checkpoint = files.findLast(({ kind }) => kind === 'checkpoint');
  const base = checkpoint?.sequence ?? 0;
  let checkpointBytes = 0;
  if (checkpoint !== undefined) {
    const bytes = await readFile(checkpoint.path);
    checkpointBytes = bytes.length;
    const apply = identified(checkpoint.path, (record) => {
      sink.fromCheckpoint(record);
    });
    readCheckpoint(checkpoint.path, bytes, apply);
  }
  sink.endCheckpoint();
  const endWrite = sink.endWrite?.bind(sink);
  if (checkpoint !== undefined) endWrite?.(base);

  const logs = files.filter(({ kind, sequence }) => kind === 'log' && sequence > base);
  // A log file is created before the checkpoint that precedes it. Only a checkpoint created from another store (base 1) has no log.
  if (checkpoint !== undefined && base > 1 && logs.length === 0)
    refuse(checkpoint.path, checkpointBytes, 'the log after it is missing');
  const next = { sequence: base + 1 };
  const check = () => {
    checkComplete(directory, manifest, next.sequence - 1);
  };
  let last: ReadLog = { length: 0, torn: undefined };
  for (const file of logs) {
    if (file.sequence !== next.sequence) refuse(file.path, 0, `write ${String(next.sequence)} is missing`);
    const apply = identified(file.path, (record) => {
      sink.fromLog(record);
    });
    last = await readLog(file, file === logs.at(-1), next, apply, check, endWrite);
  }
  check();
  if (manifest !== undefined && identity !== undefined && manifest.clusterId !== identity.clusterId)
    refuse(join(directory, manifestName), 0, 'it is of another store');
  const { length, torn } = last;
  const unused = files.filter((file) => file !== checkpoint && !logs.includes(file));
  return {
    position: { identity, sequence: next.sequence - 1, path: logs.at(-1)?.path, length, checkpointBytes },
    obsolete: [...leftovers, ...unused.map(({ path }) => path)],
    torn,
  };
}

/**
 * Reads a data directory into `sink`. Removes files that are no longer needed and cuts off an interrupted write. Throws Error with the file and the
 * offset when acknowledged data is damaged or missing.
 */
export async function recover(directory: string, sink: RecordSink): Promise<LogPosition> {
  const { position, obsolete, torn } = await readDirectory(directory, sink);
  for (const path of obsolete) await rm(path);
  if (torn !== undefined) await cutOff(torn.path, torn.length);
  return position;
}

/** The identity of a new store. */
export const newIdentity = (): Identity => ({
  clusterId: randomBytes(8).readBigUInt64BE().toString(),
  memberId: randomBytes(8).readBigUInt64BE().toString(),
});
