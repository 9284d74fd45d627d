import { valueLength } from '../mvcc/former-values.ts';
import { noLease, type Version } from '../mvcc/version.ts';

/** The field numbers of mvccpb.KeyValue with their wire types, as they stand in a message. Source: `proto/etcd/kv.proto`. */
const tags = { key: 0x0a, createRevision: 0x10, modRevision: 0x18, version: 0x20, value: 0x2a, lease: 0x30 } as const;

/** The bits of a byte of a varint. */
const base = 128;

function varintLength(value: number): number {
  let length = 1;
  for (let rest = value; rest >= base; rest = Math.floor(rest / base)) length++;
  return length;
}

function writeVarint(value: number, target: Buffer, start: number): number {
  let at = start;
  let rest = value;
  for (; rest >= base; rest = Math.floor(rest / base)) target[at++] = (rest % base) | base;
  target[at++] = rest;
  return at;
}

/** A lease id is a signed number of 64 bits; a negative one takes ten bytes. */
function leaseBytes(lease: string): number[] {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(lease));
  for (; rest >= 128n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | base);
  bytes.push(Number(rest));
  return bytes;
}

const bytesLength = (length: number): number => (length === 0 ? 0 : 1 + varintLength(length) + length);
const numberLength = (value: number): number => (value === 0 ? 0 : 1 + varintLength(value));

function writeBytes(tag: number, bytes: Buffer, target: Buffer, start: number): number {
  if (bytes.length === 0) return start;
  target[start] = tag;
  const at = writeVarint(bytes.length, target, start + 1);
  return at + bytes.copy(target, at);
}

function writeNumber(tag: number, value: number, target: Buffer, start: number): number {
  if (value === 0) return start;
  target[start] = tag;
  return writeVarint(value, target, start + 1);
}

/** The length of the mvccpb.KeyValue of a version, in bytes. That of a tombstone contains only the key. */
export function keyValueLength({ kv, deleted }: Version): number {
  if (deleted) return bytesLength(kv.key.length);
  return (
    bytesLength(kv.key.length) +
    numberLength(kv.createRevision) +
    numberLength(kv.modRevision) +
    numberLength(kv.version) +
    bytesLength(valueLength(kv)) +
    (kv.lease === noLease ? 0 : 1 + leaseBytes(kv.lease).length)
  );
}

/** Writes the mvccpb.KeyValue of a version: straight into its page, because the generated code would make two copies. */
export function writeKeyValue({ kv, deleted }: Version, target: Buffer, start: number): void {
  let at = writeBytes(tags.key, kv.key, target, start);
  if (deleted) return;
  at = writeNumber(tags.createRevision, kv.createRevision, target, at);
  at = writeNumber(tags.modRevision, kv.modRevision, target, at);
  at = writeNumber(tags.version, kv.version, target, at);
  at = writeBytes(tags.value, kv.value, target, at);
  if (kv.lease === noLease) return;
  target[at++] = tags.lease;
  for (const byte of leaseBytes(kv.lease)) target[at++] = byte;
}
