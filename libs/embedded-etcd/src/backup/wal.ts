import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { hasErrorCode } from '@apichain/meta';
import { ProtobufReader } from './protobuf-reader.ts';
import { readWholeFile } from './read-file.ts';
import { readWalFile, walTypes, type WalEnd } from './wal-file.ts';

/** An entry of the raft log. */
export interface RaftEntry {
  readonly index: number;
  /** 0 = a request; others change the members of the cluster. */
  readonly type: number;
  readonly data: Buffer;
}

export interface Wal {
  /** The entries after the given index, without gaps. */
  readonly entries: readonly RaftEntry[];
  /** The index of the last entry that is known to be committed. */
  readonly commit: number;
  /** 'damaged': entries may be missing after the last one; 'absent': there is no write-ahead log. */
  readonly end: WalEnd | 'absent';
}

const fileName = /^[0-9a-f]{16}-([0-9a-f]{16})\.wal$/;

/** The files that contain the entries after `index`, in order. A name contains the index of the first entry of the file. */
function filesAfter(names: readonly string[], index: number): string[] {
  const files = names.filter((name) => fileName.test(name)).sort();
  const firstIndex = (name: string) => Number.parseInt(fileName.exec(name)?.[1] ?? '0', 16);
  const first = files.findLastIndex((name) => firstIndex(name) <= index + 1);
  return files.slice(Math.max(0, first));
}

function entryOf(data: Buffer): RaftEntry {
  const entry = { index: 0, type: 0, data: Buffer.alloc(0) as Buffer };
  const reader = new ProtobufReader(data);
  for (let field = reader.nextField(); field !== 0; field = reader.nextField()) {
    if (field === 1) entry.type = reader.integer();
    else if (field === 3) entry.index = reader.integer();
    else if (field === 4) entry.data = reader.bytes();
    else reader.skip();
  }
  return entry;
}

function commitOf(data: Buffer): number {
  let commit = 0;
  const reader = new ProtobufReader(data);
  for (let field = reader.nextField(); field !== 0; field = reader.nextField()) {
    if (field === 3) commit = reader.integer();
    else reader.skip();
  }
  return commit;
}

/**
 * Reads the entries after `index` of the write-ahead log in a directory. A member that is running may be writing to it. Throws BackupError when a file
 * cannot be read, and ProtobufError when a record whose checksum is right has another format.
 */
export async function readWal(directory: string, index: number): Promise<Wal> {
  let names: string[];
  try {
    names = await readdir(directory);
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return { entries: [], commit: 0, end: 'absent' };
    throw error;
  }
  const files = filesAfter(names, index);
  const entries: RaftEntry[] = [];
  let commit = 0;
  let hasGap = false;
  let end: Wal['end'] = files.length === 0 ? 'absent' : 'end';
  for (const name of files) {
    end = readWalFile(await readWholeFile(join(directory, name)), ({ type, data }) => {
      if (type === walTypes.state) commit = commitOf(data);
      if (type !== walTypes.entry || hasGap) return;
      const entry = entryOf(data);
      const position = entry.index - index - 1;
      if (position < 0) return;
      hasGap = position > entries.length;
      if (hasGap) return;
      // A new leader replaces entries that were not committed.
      entries.length = position;
      entries.push(entry);
    });
    if (end === 'damaged') break;
  }
  return { entries, commit, end: hasGap ? 'damaged' : end };
}
