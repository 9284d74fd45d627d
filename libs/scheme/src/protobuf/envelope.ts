import { expectWireType, readFields } from './fields-reader.ts';
import { Reader } from './reader.ts';
import { ProtobufError, wireBytes } from './wire.ts';
import type { Writer } from './writer.ts';

/** What every protobuf object starts with, in etcd and on the wire. */
export const protobufMagic: Buffer = Buffer.from('k8s\0', 'latin1');

/** Whether bytes begin as Kubernetes' protobuf does: `k8s` and a zero byte. */
export const hasProtobufMagic = (bytes: Buffer): boolean =>
  bytes.length >= protobufMagic.length && bytes.subarray(0, protobufMagic.length).equals(protobufMagic);

/** runtime.Unknown: which kind it is, and the message of that kind. */
export interface Envelope {
  apiVersion: string;
  kind: string;
  /** A view of the bytes that were read. */
  raw: Buffer;
  contentEncoding: string;
  contentType: string;
}

/** Closes an object whose message `writeRaw` writes: envelope and magic around it. */
export function writeEnvelope(
  writer: Writer,
  apiVersion: string,
  kind: string,
  writeRaw: (writer: Writer) => void,
): void {
  writer.string('');
  writer.tag(4, wireBytes);
  writer.string('');
  writer.tag(3, wireBytes);
  const raw = writer.position;
  writeRaw(writer);
  writer.lengthSince(raw);
  writer.tag(2, wireBytes);
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
 * Opens an object. https://kubernetes.io/docs/reference/using-api/api-concepts/#protobuf-encoding
 * Throws ProtobufError when it is empty, has no magic, or is broken.
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
