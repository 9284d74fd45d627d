import { keyOf } from '../mvcc/key-range.ts';
import { tombstone, type Version } from '../mvcc/version.ts';

/**
 * What the log and the checkpoints hold. `file` begins every file; `end` ends a checkpoint and counts its records; the others are what
 * happened to the store, in order.
 */
export type LogRecord =
  | { readonly kind: 'version'; readonly version: Version }
  | { readonly kind: 'grant'; readonly id: string; readonly ttl: number }
  | { readonly kind: 'revoke'; readonly id: string }
  | { readonly kind: 'compact'; readonly revision: number }
  | { readonly kind: 'file'; readonly clusterId: string; readonly memberId: string }
  | { readonly kind: 'head'; readonly revision: number; readonly compactRevision: number }
  | { readonly kind: 'end'; readonly records: number };

const tags = { put: 1, delete: 2, grant: 3, revoke: 4, compact: 5, file: 6, head: 7, end: 8 } as const;

/** Revisions and counts take six bytes: as far as a JavaScript integer goes, less five bits. */
const integer = 6;
const id = 8;
const length = 4;
const versionHead = 1 + integer + length + length;
const putHead = versionHead + integer + integer + id + length;

function encodeVersion({ kv, sub, deleted }: Version): Buffer {
  const head = deleted ? versionHead : putHead;
  const bytes = Buffer.allocUnsafe(head + kv.key.length + kv.value.length);
  bytes[0] = deleted ? tags.delete : tags.put;
  let at = bytes.writeUIntLE(kv.modRevision, 1, integer);
  at = bytes.writeUInt32LE(sub, at);
  at = bytes.writeUInt32LE(kv.key.length, at);
  if (!deleted) {
    at = bytes.writeUIntLE(kv.createRevision, at, integer);
    at = bytes.writeUIntLE(kv.version, at, integer);
    at = bytes.writeBigInt64LE(BigInt(kv.lease), at);
    at = bytes.writeUInt32LE(kv.value.length, at);
  }
  at += kv.key.copy(bytes, at);
  kv.value.copy(bytes, at);
  return bytes;
}

const encodeNumbers = (tag: number, ...numbers: readonly number[]): Buffer => {
  const bytes = Buffer.allocUnsafe(1 + integer * numbers.length);
  bytes[0] = tag;
  numbers.forEach((number, i) => bytes.writeUIntLE(number, 1 + integer * i, integer));
  return bytes;
};

const encodeIds = (tag: number, ...ids: readonly string[]): Buffer => {
  const bytes = Buffer.allocUnsafe(1 + id * ids.length);
  bytes[0] = tag;
  ids.forEach((value, i) => bytes.writeBigInt64LE(BigInt.asIntN(64, BigInt(value)), 1 + id * i));
  return bytes;
};

export function encodeRecord(record: LogRecord): Buffer {
  switch (record.kind) {
    case 'version':
      return encodeVersion(record.version);
    case 'grant':
      return Buffer.concat([encodeIds(tags.grant, record.id), encodeNumbers(0, record.ttl).subarray(1)]);
    case 'revoke':
      return encodeIds(tags.revoke, record.id);
    case 'compact':
      return encodeNumbers(tags.compact, record.revision);
    case 'file':
      return encodeIds(tags.file, record.clusterId, record.memberId);
    case 'head':
      // The compact revision is -1 before the first compaction.
      return encodeNumbers(tags.head, record.revision, record.compactRevision + 1);
    case 'end':
      return encodeNumbers(tags.end, record.records);
  }
}

/** Reads the records of one frame. Its bytes passed their checksum, so anything unreadable is a newer format. */
class RecordReader {
  private readonly bytes: Buffer;
  private at = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.at === this.bytes.length;
  }

  next(): LogRecord {
    const tag = this.bytes[this.at++];
    switch (tag) {
      case tags.put:
        return { kind: 'version', version: this.put() };
      case tags.delete:
        return { kind: 'version', version: this.delete() };
      case tags.grant:
        return { kind: 'grant', id: this.id(), ttl: this.integer() };
      case tags.revoke:
        return { kind: 'revoke', id: this.id() };
      case tags.compact:
        return { kind: 'compact', revision: this.integer() };
      case tags.file:
        return { kind: 'file', clusterId: this.unsignedId(), memberId: this.unsignedId() };
      case tags.head:
        return { kind: 'head', revision: this.integer(), compactRevision: this.integer() - 1 };
      case tags.end:
        return { kind: 'end', records: this.integer() };
      default:
        throw new Error(`unknown record ${String(tag)}, written by a newer version`);
    }
  }

  private put(): Version {
    const modRevision = this.integer();
    const sub = this.length();
    const keyLength = this.length();
    const createRevision = this.integer();
    const version = this.integer();
    const lease = this.id();
    const valueLength = this.length();
    const key = this.copy(keyLength);
    return {
      key: keyOf(key),
      kv: { key, createRevision, modRevision, version, value: this.copy(valueLength), lease },
      sub,
      deleted: false,
    };
  }

  private delete(): Version {
    const modRevision = this.integer();
    const sub = this.length();
    const key = this.copy(this.length());
    return tombstone(keyOf(key), key, modRevision, sub);
  }

  private integer(): number {
    const value = this.bytes.readUIntLE(this.at, integer);
    this.at += integer;
    return value;
  }

  private length(): number {
    const value = this.bytes.readUInt32LE(this.at);
    this.at += length;
    return value;
  }

  private id(): string {
    const value = this.bytes.readBigInt64LE(this.at).toString();
    this.at += id;
    return value;
  }

  private unsignedId(): string {
    return BigInt.asUintN(64, BigInt(this.id())).toString();
  }

  /** The frame is not kept alive by what was read from it. */
  private copy(size: number): Buffer {
    const copied = Buffer.from(this.bytes.subarray(this.at, this.at + size));
    this.at += size;
    return copied;
  }
}

/** The records of a frame's payload, in order. Throws Error for one that this version does not know. */
export function* decodeRecords(payload: Buffer): Generator<LogRecord> {
  const reader = new RecordReader(payload);
  while (!reader.isAtEnd) yield reader.next();
}
