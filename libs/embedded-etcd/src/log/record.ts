import { keyOf } from '../mvcc/key-range.ts';
import { valueLength } from '../mvcc/former-values.ts';
import { tombstone, type Version } from '../mvcc/version.ts';

/**
 * The records of the log and the checkpoints. `file` begins every file; `end` ends a checkpoint and counts its records; the others are the changes
 * of the store, in order.
 */
export type LogRecord =
  | { readonly kind: 'version'; readonly version: Version }
  | { readonly kind: 'grant'; readonly id: string; readonly ttl: number }
  | { readonly kind: 'revoke'; readonly id: string }
  | { readonly kind: 'compact'; readonly revision: number }
  /** The alarm NOSPACE of a member. */
  | { readonly kind: 'alarm'; readonly memberId: string; readonly raised: boolean }
  | { readonly kind: 'file'; readonly clusterId: string; readonly memberId: string }
  | { readonly kind: 'head'; readonly revision: number; readonly compactRevision: number }
  | { readonly kind: 'end'; readonly records: number };

const tags = { put: 1, delete: 2, grant: 3, revoke: 4, compact: 5, file: 6, head: 7, end: 8, alarm: 9 } as const;

/** Revisions and counts take six bytes: five bits less than the largest safe integer of JavaScript. */
const integer = 6;
const id = 8;
const length = 4;
const versionHead = 1 + integer + length + length;
const putHead = versionHead + integer + integer + id + length;

const versionLength = ({ kv, deleted }: Version): number =>
  (deleted ? versionHead : putHead) + kv.key.length + valueLength(kv);

function writeVersion({ kv, sub, deleted }: Version, bytes: Buffer, start: number): number {
  bytes[start] = deleted ? tags.delete : tags.put;
  let at = bytes.writeUIntLE(kv.modRevision, start + 1, integer);
  at = bytes.writeUInt32LE(sub, at);
  at = bytes.writeUInt32LE(kv.key.length, at);
  if (!deleted) {
    at = bytes.writeUIntLE(kv.createRevision, at, integer);
    at = bytes.writeUIntLE(kv.version, at, integer);
    at = bytes.writeBigInt64LE(BigInt(kv.lease), at);
    at = bytes.writeUInt32LE(valueLength(kv), at);
  }
  at += kv.key.copy(bytes, at);
  return deleted ? at : at + kv.value.copy(bytes, at);
}

const numbersLength = (count: number): number => 1 + integer * count;

function writeNumbers(bytes: Buffer, start: number, tag: number, ...numbers: readonly number[]): number {
  bytes[start] = tag;
  return numbers.reduce((at, number) => bytes.writeUIntLE(number, at, integer), start + 1);
}

const idsLength = (count: number): number => 1 + id * count;

function writeIds(bytes: Buffer, start: number, tag: number, ...ids: readonly string[]): number {
  bytes[start] = tag;
  return ids.reduce((at, value) => bytes.writeBigInt64LE(BigInt.asIntN(64, BigInt(value)), at), start + 1);
}

/** The number of bytes that `writeRecord` writes. */
export function recordLength(record: LogRecord): number {
  switch (record.kind) {
    case 'version':
      return versionLength(record.version);
    case 'grant':
      return idsLength(1) + integer;
    case 'revoke':
      return idsLength(1);
    case 'alarm':
      return idsLength(1) + 1;
    case 'file':
      return idsLength(2);
    case 'head':
      return numbersLength(2);
    case 'compact':
    case 'end':
      return numbersLength(1);
  }
}

/** Writes the record into `bytes` at `at`. Returns the offset after the record. */
export function writeRecord(record: LogRecord, bytes: Buffer, at: number): number {
  switch (record.kind) {
    case 'version':
      return writeVersion(record.version, bytes, at);
    case 'grant':
      return bytes.writeUIntLE(record.ttl, writeIds(bytes, at, tags.grant, record.id), integer);
    case 'revoke':
      return writeIds(bytes, at, tags.revoke, record.id);
    case 'compact':
      return writeNumbers(bytes, at, tags.compact, record.revision);
    case 'alarm':
      return bytes.writeUInt8(record.raised ? 1 : 0, writeIds(bytes, at, tags.alarm, record.memberId));
    case 'file':
      return writeIds(bytes, at, tags.file, record.clusterId, record.memberId);
    case 'head':
      // The compact revision is -1 before the first compaction.
      return writeNumbers(bytes, at, tags.head, record.revision, record.compactRevision + 1);
    case 'end':
      return writeNumbers(bytes, at, tags.end, record.records);
  }
}

export function encodeRecord(record: LogRecord): Buffer {
  const bytes = Buffer.allocUnsafe(recordLength(record));
  writeRecord(record, bytes, 0);
  return bytes;
}

/** Reads the records of one frame. Its bytes have passed their checksum, so an unreadable record has a newer format. */
class RecordReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  next(): LogRecord {
    const tag = this.#bytes[this.#at++];
    switch (tag) {
      case tags.put:
        return { kind: 'version', version: this.#put() };
      case tags.delete:
        return { kind: 'version', version: this.#delete() };
      case tags.grant:
        return { kind: 'grant', id: this.#id(), ttl: this.#integer() };
      case tags.revoke:
        return { kind: 'revoke', id: this.#id() };
      case tags.compact:
        return { kind: 'compact', revision: this.#integer() };
      case tags.alarm:
        return { kind: 'alarm', memberId: this.#unsignedId(), raised: this.#bytes[this.#at++] === 1 };
      case tags.file:
        return { kind: 'file', clusterId: this.#unsignedId(), memberId: this.#unsignedId() };
      case tags.head:
        return { kind: 'head', revision: this.#integer(), compactRevision: this.#integer() - 1 };
      case tags.end:
        return { kind: 'end', records: this.#integer() };
      default:
        throw new Error(`unknown record ${String(tag)}, written by a newer version`);
    }
  }

  #put(): Version {
    const modRevision = this.#integer();
    const sub = this.#length();
    const keyLength = this.#length();
    const createRevision = this.#integer();
    const version = this.#integer();
    const lease = this.#id();
    const valueLength = this.#length();
    const key = this.#copy(keyLength);
    return {
      key: keyOf(key),
      kv: { key, createRevision, modRevision, version, value: this.#copy(valueLength), lease },
      sub,
      deleted: false,
    };
  }

  #delete(): Version {
    const modRevision = this.#integer();
    const sub = this.#length();
    const key = this.#copy(this.#length());
    return tombstone(keyOf(key), key, modRevision, sub);
  }

  #integer(): number {
    const value = this.#bytes.readUIntLE(this.#at, integer);
    this.#at += integer;
    return value;
  }

  #length(): number {
    const value = this.#bytes.readUInt32LE(this.#at);
    this.#at += length;
    return value;
  }

  #id(): string {
    const value = this.#bytes.readBigInt64LE(this.#at).toString();
    this.#at += id;
    return value;
  }

  #unsignedId(): string {
    return BigInt.asUintN(64, BigInt(this.#id())).toString();
  }

  /** Copies, so that the values read do not keep the frame in memory. */
  #copy(size: number): Buffer {
    const copied = Buffer.from(this.#bytes.subarray(this.#at, this.#at + size));
    this.#at += size;
    return copied;
  }
}

/** The records of a frame's payload, in order. Throws Error for a record of an unknown kind. */
export function* decodeRecords(payload: Buffer): Generator<LogRecord> {
  const reader = new RecordReader(payload);
  while (!reader.isAtEnd) yield reader.next();
}
