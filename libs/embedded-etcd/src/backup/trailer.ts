import { createHash } from 'node:crypto';
import { BackupError } from './backup-error.ts';

/** A snapshot is a database, whose length is a multiple of this many bytes, followed by the SHA-256 of the database. */
export const alignment = 512;
export const digestLength = 32;

/** Whether a file of this length ends in a checksum. Other files are databases as they are on disk. */
export const hasTrailer = (length: number): boolean => length % alignment === digestLength;

/** The database in a snapshot file. Throws BackupError unless it is complete. */
export function withoutTrailer(path: string, bytes: Buffer): Buffer {
  const body = bytes.subarray(0, -digestLength);
  const digest = createHash('sha256').update(body).digest();
  if (!hasTrailer(bytes.length) || !digest.equals(bytes.subarray(-digestLength)))
    throw new BackupError(`${path} is not a whole snapshot: its checksum does not match`);
  return body;
}
