import { expectWireType, readFields, Reader } from './reader.ts';
import { ProtobufError, wireBytes } from './wire.ts';
import { Writer } from './writer.ts';

/** The first bytes of every protobuf object, in etcd and in requests and responses. */
export const protobufMagic: Buffer = Buffer.from('k8s\0', 'latin1');

/** Whether bytes begin with the prefix of Kubernetes' protobuf: `k8s` and a zero byte. */
export const hasProtobufMagic = (bytes: Buffer): boolean =>
  bytes.length >= protobufMagic.length && bytes.subarray(0, protobufMagic.length).equals(protobufMagic);

/** runtime.Unknown: apiVersion and kind of an object, and its message. */
export interface Envelope {
  apiVersion: string;
  kind: string;
  /** A view of the input, not a copy. */
  raw: Buffer;
  contentEncoding: string;
  contentType: string;
}

/** Writes what stands after a message in its envelope. The message is written next, because writing begins at the end. */
export function writeEnvelopeEnd(writer: Writer): void {
  writer.string('');
  writer.tag(4, wireBytes);
  writer.string('');
  writer.tag(3, wireBytes);
}

/** Writes what stands before a message that was written since `mark`: its length, its kind and the magic prefix. */
export function writeEnvelopeStart(
  writer: Writer,
  mark: number,
  { apiVersion, kind }: Pick<Envelope, 'apiVersion' | 'kind'>,
): void {
  writer.lengthSince(mark);
  writer.tag(2, wireBytes);
  writeTypeMeta(writer, apiVersion, kind);
}

/**
 * What stands before and after a message in its envelope. The message is `head`, then `length` more bytes, then `tail`; only head and tail are
 * part of the frame.
 */
export function envelopeFrame(
  { apiVersion, kind }: Pick<Envelope, 'apiVersion' | 'kind'>,
  { head, length, tail }: { readonly head: Buffer; readonly length: number; readonly tail: Buffer },
): { readonly before: Buffer; readonly after: Buffer } {
  const after = new Writer();
  writeEnvelopeEnd(after);
  after.raw(tail);
  const before = new Writer();
  before.raw(head);
  before.varint(head.length + length + tail.length);
  before.tag(2, wireBytes);
  writeTypeMeta(before, apiVersion, kind);
  return { before: before.finish(), after: after.finish() };
}

/** Writes the first field of an envelope and the magic prefix. */
function writeTypeMeta(writer: Writer, apiVersion: string, kind: string): void {
  const typeMeta = writer.position;
  writer.string(kind);
  writer.tag(2, wireBytes);
  writer.string(apiVersion);
  writer.tag(1, wireBytes);
  writer.lengthSince(typeMeta);
  writer.tag(1, wireBytes);
  writer.raw(protobufMagic);
}

/**
 * Reads the envelope of an object. https://kubernetes.io/docs/reference/using-api/api-concepts/#protobuf-encoding
 * Throws ProtobufError if the input is empty, has no magic prefix, or is invalid.
 */
export function readEnvelope(bytes: Buffer): Envelope {
  if (bytes.length === 0) throw new ProtobufError('empty data');
  if (!hasProtobufMagic(bytes)) {
    throw new ProtobufError('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]');
  }
  if (bytes.length === protobufMagic.length) throw new ProtobufError('empty body');
  const reader = new Reader(bytes.subarray(protobufMagic.length));
  const envelope: Envelope = {
    apiVersion: '',
    kind: '',
    raw: Buffer.alloc(0),
    contentEncoding: '',
    contentType: '',
  };
  readFields(reader, reader.length, (field, wireType, end) => {
    if (field > 4) return false;
    expectWireType(wireType, wireBytes, envelopeFields[field] ?? '');
    if (field === 1) reader.message(end, (limit) => readTypeMeta(reader, limit, envelope));
    else if (field === 2) envelope.raw = reader.bytes(end);
    else envelope[field === 3 ? 'contentEncoding' : 'contentType'] = reader.string(end);
    return true;
  });
  return envelope;
}

const envelopeFields: readonly string[] = ['', 'TypeMeta', 'Raw', 'ContentEncoding', 'ContentType'];

function readTypeMeta(reader: Reader, end: number, envelope: Envelope): void {
  readFields(reader, end, (field, wireType, fieldEnd) => {
    if (field !== 1 && field !== 2) return false;
    expectWireType(wireType, wireBytes, field === 1 ? 'APIVersion' : 'Kind');
    envelope[field === 1 ? 'apiVersion' : 'kind'] = reader.string(fieldEnd);
    return true;
  });
}
