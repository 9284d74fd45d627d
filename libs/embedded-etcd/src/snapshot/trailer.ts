import { createHash } from 'node:crypto';
import { BackupError } from '../backup/backup-error.ts';

/** A snapshot is a database, whose length is a multiple of this many bytes, followed by the SHA-256 of the database. */
const alignment = 512;
export const digestLength = 32;

/** Whether a file of this length is a database as it is on disk, without a checksum. */
export const isDatabaseLength = (length: number): boolean => length % alignment === 0;

/** The database in a snapshot file. Throws BackupError unless it is complete. */
export function withoutTrailer(path: string, bytes: Buffer): Buffer {
  const body = bytes.subarray(0, -digestLength);
  const digest = createHash('sha256').update(body).digest();
  if (bytes.length % alignment !== digestLength || !digest.equals(bytes.subarray(-digestLength)))
    throw new BackupError(`${path} is not a whole snapshot: its checksum does not match`);
  return body;
}
