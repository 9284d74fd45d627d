import {
  errorMessage,
  maxMembers,
  newNotAcceptable,
  parseGroupVersion,
  text,
  type GroupVersionKind,
  type JsonObject,
  type KubeObject,
  type Work,
} from '@apichain/meta';
import { canonicalize } from '../decode.ts';
import { goTypeName } from '../go-type-name.ts';
import type { Type } from '../type.ts';
import { hasProtobufMagic, readEnvelope, writeEnvelope, type Envelope } from './envelope.ts';
import { MessageCompiler } from './message-codec.ts';
import { Reader } from './reader.ts';
import { readJsonText } from './special-codecs.ts';
import type { PlainObject } from './value-codec.ts';
import { ProtobufError, ProtobufMessageError, wireBytes } from './wire.ts';
import { Writer } from './writer.ts';

export interface ProtobufCodecOptions {
  /** The type of a kind; undefined for a kind that is not known. */
  readonly typeOf: (kind: GroupVersionKind) => Type | undefined;
}

const frameLengthBytes = 4;

/** Kinds without numbered fields are JSON only (Table). A kind without any fields is just empty. */
const hasProtobufForm = (type: Type): boolean =>
  type.fields?.every((field) => field.name === 'apiVersion' || field.name === 'kind') === true ||
  type.fields?.some((field) => field.proto !== undefined || field.protoEmbedded !== undefined) === true;

const hasTypeMeta = (type: Type): boolean => type.byName?.has('apiVersion') === true && type.byName.has('kind');

/**
 * `application/vnd.kubernetes.protobuf`, driven by the types of the kinds: requests, answers, lists, watches and stored values.
 * Codecs are compiled once a type, when it is first met.
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#alternate-representations-of-resources
 */
export class ProtobufCodec {
  readonly #typeOf: ProtobufCodecOptions['typeOf'];
  readonly #compiler = new MessageCompiler((raw, mostMembers) => this.#readRawExtension(raw, mostMembers));
  #depth = 0;

  constructor(options: ProtobufCodecOptions) {
    this.#typeOf = options.typeOf;
  }

  /**
   * An object or a list with its envelope. The object is canonical: decoded and defaulted, quantities and times as they are
   * written. Throws a StatusError 406 for a kind that has no protobuf form.
   */
  encode(object: KubeObject): Buffer {
    const type = this.#typeToEncode(object);
    const writer = new Writer();
    this.#write(writer, object, type);
    return writer.finish();
  }

  /** As `encode`, of a given type: for kinds whose apiVersion and kind do not name it. */
  encodeAs(object: object, type: Type): Buffer {
    const writer = new Writer();
    const { apiVersion, kind }: { apiVersion?: unknown; kind?: unknown } = object;
    const typeMeta = { apiVersion: text(apiVersion), kind: text(kind) };
    this.#write(writer, { ...object, ...(hasTypeMeta(type) ? typeMeta : {}) }, type);
    return writer.finish();
  }

  /**
   * A list of objects that `encode` has made already, so that each is encoded once for all its readers. `list` has kind,
   * apiVersion and metadata. Throws as `encode`, and ProtobufError when `items` are no objects with envelopes.
   */
  encodeList(list: KubeObject, items: readonly Buffer[]): Buffer {
    const type = this.#typeToEncode(list);
    const number = type.byName?.get('items')?.proto;
    if (number === undefined) throw new ProtobufError(`${list.kind} is no list`);
    const { items: _, ...head } = list;
    const writer = new Writer();
    writeEnvelope(writer, list.apiVersion, list.kind, (raw) => {
      for (let i = items.length - 1; i >= 0; i--) {
        const item = items[i];
        if (item === undefined) continue;
        raw.bytes(readEnvelope(item).raw);
        raw.tag(number, wireBytes);
      }
      this.#compiler.message(type).writeFields(raw, head);
    });
    return writer.finish();
  }

  /**
   * One frame of a watch: four bytes of length (big endian), then meta/v1 WatchEvent whose object has its own envelope.
   * Throws as `encode`.
   */
  encodeWatchEvent(type: string, object: KubeObject): Buffer {
    return frameWatchEvent(type, this.encode(object));
  }

  /**
   * A body or a stored value as a JSON value: apiVersion and kind from the envelope (from `expected` where it names none), and
   * every field that was written, zero values too; run it through decoding of its kind. Of a kind that is not known, or that
   * nobody named, only apiVersion and kind come back. Throws ProtobufError; ProtobufMessageError when the message in it is broken.
   */
  decode(bytes: Buffer, expected?: GroupVersionKind): JsonObject {
    return this.#decode(bytes, expected, Infinity);
  }

  #decode(bytes: Buffer, expected: GroupVersionKind | undefined, mostMembers: number): JsonObject {
    const { envelope, object, type } = this.#opened(bytes, expected);
    if (type === undefined) return asJsonObject(object);
    try {
      this.#readInto(envelope.raw, type, object, mostMembers);
    } catch (error) {
      throw error instanceof ProtobufError ? new ProtobufMessageError(error.message, envelope) : error;
    }
    return asJsonObject(object);
  }

  /** The same in steps, for long bodies. Throws RequestEntityTooLarge for one of more members than a document from a client may have. */
  *decodeInSteps(bytes: Buffer, expected?: GroupVersionKind): Work<JsonObject> {
    const { envelope, object, type } = this.#opened(bytes, expected);
    if (type === undefined) return asJsonObject(object);
    const reader = new Reader(envelope.raw, maxMembers);
    try {
      yield* this.#compiler.message(type).readInSteps(reader, reader.length, object);
    } catch (error) {
      throw error instanceof ProtobufError ? new ProtobufMessageError(error.message, envelope) : error;
    }
    return asJsonObject(object);
  }

  /** A message without an envelope, of a given type. Throws ProtobufError. */
  decodeMessage(raw: Buffer, type: Type): JsonObject {
    const object: PlainObject = {};
    this.#readInto(raw, type, object, Infinity);
    return asJsonObject(object);
  }

  /** As `decode`, in canonical JSON form: a stored value as it would be answered. Throws ProtobufError and DecodeError. */
  decodeCanonical(bytes: Buffer, expected?: GroupVersionKind): Record<string, unknown> {
    return this.#canonical(this.decode(bytes, expected));
  }

  #canonical(object: JsonObject): Record<string, unknown> {
    const type = this.#typeOf(kindOf(text(object['apiVersion']), text(object['kind'])));
    if (type === undefined) {
      throw new ProtobufError(`no type for ${text(object['apiVersion'])}, Kind=${text(object['kind'])}`);
    }
    return canonicalize(object, type);
  }

  #typeToEncode(object: KubeObject): Type {
    const type = this.#typeOf(kindOf(object.apiVersion, object.kind));
    if (type !== undefined && hasProtobufForm(type)) return type;
    const name = type === undefined ? 'unstructured.Unstructured' : goTypeName(type);
    throw newNotAcceptable(
      `object *${name} does not implement the protobuf marshalling interface and cannot be encoded to a protobuf message`,
    );
  }

  #write(writer: Writer, object: PlainObject, type: Type): void {
    const message = this.#compiler.message(type);
    writeEnvelope(writer, text(object['apiVersion']), text(object['kind']), (raw) => message.writeFields(raw, object));
  }

  /** What a body is, as far as its envelope says. */
  #opened(bytes: Buffer, expected: GroupVersionKind | undefined) {
    const envelope = this.#named(readEnvelope(bytes), expected);
    const { apiVersion, kind } = envelope;
    const object: PlainObject = {};
    if (apiVersion !== '') object['apiVersion'] = apiVersion;
    if (kind !== '') object['kind'] = kind;
    return { envelope, object, type: kind === '' ? undefined : this.#typeOf(kindOf(apiVersion, kind)) };
  }

  #named(envelope: Envelope, expected: GroupVersionKind | undefined): Envelope {
    if (expected === undefined) return envelope;
    const { group, version } = expected;
    const apiVersion = group === '' ? version : `${group}/${version}`;
    // So is a version that nobody can read, or that is none.
    const [, named] = /^(?:[^/]*\/)?([^/]+)$/.exec(envelope.apiVersion) ?? [];
    return {
      ...envelope,
      apiVersion: named === undefined ? apiVersion : envelope.apiVersion,
      kind: envelope.kind === '' ? expected.kind : envelope.kind,
    };
  }

  #readInto(raw: Buffer, type: Type, object: PlainObject, mostMembers: number): void {
    const reader = new Reader(raw, mostMembers);
    this.#compiler.message(type).readInto(reader, reader.length, object);
  }

  /** Objects inside objects: JSON text, or protobuf with an envelope of its own, a few levels deep at most. */
  #readRawExtension(raw: Buffer, mostMembers: number): unknown {
    if (!hasProtobufMagic(raw)) return readJsonText(raw, mostMembers);
    if (this.#depth >= maxEmbeddedDepth) throw new ProtobufError('proto: exceeded max nesting depth');
    this.#depth++;
    try {
      return this.#canonical(this.#decode(raw, undefined, mostMembers));
    } finally {
      this.#depth--;
    }
  }
}

const maxEmbeddedDepth = 8;

function kindOf(apiVersion: string, kind: string): GroupVersionKind {
  try {
    return { ...parseGroupVersion(apiVersion), kind };
  } catch (error) {
    throw new ProtobufError(errorMessage(error));
  }
}

/** The codec makes nothing but JSON values; this is where the compiler is told. */
const asJsonObject = (object: PlainObject): JsonObject => object as JsonObject;

/** A watch frame around an object that has been encoded already: it can be shared between watchers. */
export function frameWatchEvent(type: string, encoded: Uint8Array): Buffer {
  const writer = new Writer();
  const object = writer.position;
  writer.bytes(encoded);
  writer.tag(1, wireBytes);
  writer.lengthSince(object);
  writer.tag(2, wireBytes);
  writer.string(type);
  writer.tag(1, wireBytes);
  const length = Buffer.alloc(frameLengthBytes);
  length.writeUInt32BE(writer.position);
  writer.raw(length);
  return writer.finish();
}
