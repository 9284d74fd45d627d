import { hasUnwrittenSector } from '../log/sectors.ts';
import { ProtobufError, ProtobufReader } from './protobuf-reader.ts';

/** The reversed polynomial of Castagnoli. */
const polynomial = 0x82f63b78;

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit++) rest = (rest & 1) === 1 ? (rest >>> 1) ^ polynomial : rest >>> 1;
  return rest;
});

/** The CRC-32C of bytes that follow others whose CRC-32C is `before`. */
export function crc32c(bytes: Buffer, before = 0): number {
  let crc = ~before;
  for (const byte of bytes) crc = (table[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  return ~crc >>> 0;
}

/** The types of records. */
export const walTypes = { metadata: 1, entry: 2, state: 3, crc: 4, snapshot: 5 } as const;

export interface WalRecord {
  readonly type: number;
  readonly data: Buffer;
}

/** How the records of a file end: at its end, in a write that was interrupted or is under way, or at a damaged record. */
export type WalEnd = 'end' | 'torn' | 'damaged';

const lengthBytes = 8;

/** The length of a record: seven bytes, and the length of its padding in the eighth if its highest bit is set. */
function frameAt(bytes: Buffer, at: number): { readonly length: number; readonly padding: number } {
  const top = bytes.readUInt8(at + 7);
  return {
    length: bytes.readUIntLE(at, 6) + bytes.readUInt8(at + 6) * 2 ** 48,
    padding: top >= 0x80 ? top & 0x07 : 0,
  };
}

interface ChecksummedRecord extends WalRecord {
  readonly crc: number;
}

function recordOf(bytes: Buffer): ChecksummedRecord | undefined {
  const record = { type: 0, crc: 0, data: Buffer.alloc(0) as Buffer };
  try {
    const reader = new ProtobufReader(bytes);
    for (let field = reader.nextField(); field !== 0; field = reader.nextField()) {
      if (field === 1) record.type = reader.integer();
      else if (field === 2) record.crc = reader.integer();
      else if (field === 3) record.data = reader.bytes();
      else reader.skip();
    }
    return record;
  } catch (error) {
    if (error instanceof ProtobufError) return undefined;
    throw error;
  }
}

/**
 * Reads the records of a file of etcd's write-ahead log and passes those to `apply` whose checksum is right. A checksum includes all data before it,
 * also that of the files before; the first record of a file repeats it. Source: https://github.com/etcd-io/etcd/blob/v3.5.16/server/wal/decoder.go
 */
export function readWalFile(bytes: Buffer, apply: (record: WalRecord) => void): WalEnd {
  let crc = 0;
  let at = 0;
  while (at + lengthBytes <= bytes.length) {
    const { length, padding } = frameAt(bytes, at);
    // The rest of a file is allocated and has never been written.
    if (length === 0) return 'end';
    const start = at + lengthBytes;
    const end = start + length;
    const record = end > bytes.length ? undefined : recordOf(bytes.subarray(start, end));
    const isValid = record !== undefined && isRight(record);
    if (!isValid) return hasUnwrittenSector(bytes, start, Math.min(end, bytes.length)) ? 'torn' : 'damaged';
    if (record.type !== walTypes.crc) apply(record);
    at = end + padding;
  }
  return 'end';

  function isRight({ type, crc: expected, data }: ChecksummedRecord): boolean {
    if (type === walTypes.crc) {
      if (crc !== 0 && crc !== expected) return false;
      crc = expected;
      return true;
    }
    crc = crc32c(data, crc);
    return crc === expected;
  }
}
