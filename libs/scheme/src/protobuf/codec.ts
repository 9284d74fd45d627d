import {
  errorMessage,
  newNotAcceptable,
  parseGroupVersion,
  text,
  type GroupVersionKind,
  type JsonObject,
  type KubeObject,
} from '@apichain/meta';
import { canonicalize } from '../decode.ts';
import { goTypeName } from '../go-type-name.ts';
import type { Type } from '../type.ts';
import {
  envelopeFrame,
  hasProtobufMagic,
  readEnvelope,
  writeEnvelopeEnd,
  writeEnvelopeStart,
  type Envelope,
} from './envelope.ts';
import { MessageCompiler } from './message-codec.ts';
import { Reader } from './reader.ts';
import { readJsonText } from './special-codecs.ts';
import type { PlainObject } from './value-codecs.ts';
import { ProtobufError, ProtobufMessageError, wireBytes } from './wire.ts';
import { Writer } from './writer.ts';

export interface ProtobufCodecOptions {
  /** The type of a kind; undefined for an unknown kind. */
  readonly typeOf: (kind: GroupVersionKind) => Type | undefined;
}

const frameLengthBytes = 4;

/** Kinds whose fields have no protobuf numbers are JSON only (Table). A kind without any fields is empty and has a protobuf form. */
const hasProtobufForm = (type: Type): boolean =>
  type.fields?.every((field) => field.name === 'apiVersion' || field.name === 'kind') === true ||
  type.fields?.some((field) => field.proto !== undefined || field.protoEmbedded !== undefined) === true;

const hasTypeMeta = (type: Type): boolean => type.byName?.has('apiVersion') === true && type.byName.has('kind');

/**
 * `application/vnd.kubernetes.protobuf`, driven by the types of the kinds: requests, responses, lists, watches and stored values. The codec
 * of a type is compiled once, on first use.
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
   * An object or a list with its envelope. The object must be canonical: decoded and defaulted, with normalised quantities and times.
   * Throws a StatusError 406 for a kind without a protobuf form.
   */
  encode(object: KubeObject): Buffer {
    const type = this.#typeToEncode(object);
    const writer = new Writer();
    this.#write(writer, object, type);
    return writer.finish();
  }

  /** `encode` for a given type, for objects whose apiVersion and kind do not determine their type. */
  encodeAs(object: object, type: Type): Buffer {
    const writer = new Writer();
    const { apiVersion, kind }: { apiVersion?: unknown; kind?: unknown } = object;
    const typeMeta = { apiVersion: text(apiVersion), kind: text(kind) };
    this.#write(writer, { ...object, ...(hasTypeMeta(type) ? typeMeta : {}) }, type);
    return writer.finish();
  }

  /**
   * An item as it stands in a list of the kind `list`: field number, length and message. Throws like `encode`, and ProtobufError if `list` is no
   * list.
   */
  encodeListItem(list: KubeObject, item: KubeObject): Buffer {
    const number = fieldNumber(this.#typeToEncode(list), 'items');
    if (number === undefined) throw new ProtobufError(`${list.kind} is no list`);
    const writer = new Writer();
    this.#compiler.message(this.#typeToEncode(item)).write(writer, item);
    writer.tag(number, wireBytes);
    return writer.finish();
  }

  /**
   * What stands around the items of a list, which `encodeListItem` encodes and which have `itemsLength` bytes together. `list` has kind, apiVersion
   * and metadata. Throws like `encode`.
   */
  encodeListFrame(list: KubeObject, itemsLength: number): { readonly before: Buffer; readonly after: Buffer } {
    const { items: _, ...head } = list;
    const type = this.#typeToEncode(list);
    const writer = new Writer();
    this.#compiler.message(type).writeFields(writer, head);
    const fields = writer.finish();
    const nothing = Buffer.alloc(0);
    // The fields of a message stand in the order of their numbers: in lists of v1beta1 the items come before the metadata.
    const itemsFirst = (fieldNumber(type, 'items') ?? 0) < (fieldNumber(type, 'metadata') ?? 0);
    const parts = itemsFirst ? { head: nothing, tail: fields } : { head: fields, tail: nothing };
    return envelopeFrame(list, { ...parts, length: itemsLength });
  }

  /**
   * One frame of a watch: four bytes of length (big endian), then a meta/v1 WatchEvent whose object has its own envelope. Throws like
   * `encode`.
   */
  encodeWatchEvent(type: string, object: KubeObject): Buffer {
    return frameWatchEvent(type, this.encode(object));
  }

  /**
   * A body or a stored value as a JSON value: apiVersion and kind from the envelope (from `expected` if the envelope lacks them), and every
   * field that was written, including zero values. The caller must decode it for its kind. For an unknown or missing kind, the value has
   * only apiVersion and kind. Throws ProtobufError; ProtobufMessageError if the message in the envelope is invalid; RequestEntityTooLarge for
   * more than `mostMembers` members.
   */
  decode(bytes: Buffer, expected?: GroupVersionKind, mostMembers = Infinity): JsonObject {
    const { envelope, object, type } = this.#opened(bytes, expected);
    if (type === undefined) return asJsonObject(object);
    try {
      this.#readInto(envelope.raw, type, object, mostMembers);
    } catch (error) {
      throw error instanceof ProtobufError ? new ProtobufMessageError(error.message, envelope) : error;
    }
    return asJsonObject(object);
  }

  /** Decodes a message without an envelope, of a given type. Throws ProtobufError. */
  decodeMessage(raw: Buffer, type: Type): JsonObject {
    const object: PlainObject = {};
    this.#readInto(raw, type, object, Infinity);
    return asJsonObject(object);
  }

  /** `decode` in canonical JSON form: a stored value as in a response. Throws ProtobufError and DecodeError. */
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
    writeEnvelopeEnd(writer);
    const mark = writer.position;
    this.#compiler.message(type).writeFields(writer, object);
    writeEnvelopeStart(writer, mark, { apiVersion: text(object['apiVersion']), kind: text(object['kind']) });
  }

  /** The envelope of a body and the type that it names. */
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
    // An invalid apiVersion is also replaced by the expected one.
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

  /** Reads an embedded object: JSON text, or protobuf with its own envelope, a few levels deep at most. */
  #readRawExtension(raw: Buffer, mostMembers: number): unknown {
    if (!hasProtobufMagic(raw)) return readJsonText(raw, mostMembers);
    if (this.#depth >= maxEmbeddedDepth) throw new ProtobufError('proto: exceeded max nesting depth');
    this.#depth++;
    try {
      return this.#canonical(this.decode(raw, undefined, mostMembers));
    } finally {
      this.#depth--;
    }
  }
}

const maxEmbeddedDepth = 8;

const fieldNumber = ({ fields }: Type, name: string): number | undefined =>
  fields?.find((field) => field.name === name)?.proto;

function kindOf(apiVersion: string, kind: string): GroupVersionKind {
  try {
    return { ...parseGroupVersion(apiVersion), kind };
  } catch (error) {
    throw new ProtobufError(errorMessage(error));
  }
}

/** The codec produces only JSON values, which the compiler cannot infer. */
const asJsonObject = (object: PlainObject): JsonObject => object as JsonObject;

/** A watch frame around an encoded object, which watchers can share. */
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
