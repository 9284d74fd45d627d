import {
  formatGroupVersion,
  newNotAcceptable,
  newUnknownError,
  stringifyJson,
  type KubeObject,
  type ObjectMeta,
  type Omits,
  type Work,
} from '@apichain/meta';
import { type StoredObject, readingStored, storedJson } from '@apichain/storage';
import type { ObjectCodec } from '../registry/object-codec.ts';
import { internalPackage } from './check-kind.ts';

/*
 * Representations of objects that are assembled from their JSON bytes. Keys and bytes are those of the stored JSON: kind, apiVersion
 * and metadata come first.
 */

const jsonHead = (kind: string, apiVersion: string): Buffer =>
  Buffer.from(`{"kind":${stringifyJson(kind)},"apiVersion":${stringifyJson(apiVersion)},`);
const metadataMember = Buffer.from('"metadata":{');

/** The bytes of a kind's objects before their metadata, used to recognise and slice the JSON. */
export interface ObjectHead {
  readonly bytes: Buffer;
  readonly kind: string;
  readonly apiVersion: string;
  /** See ObjectCodec. */
  readonly carriedAnnotations: readonly string[] | undefined;
}
export function objectHead(codec: Pick<ObjectCodec, 'kind' | 'carriedAnnotations'>): ObjectHead {
  const { kind, carriedAnnotations } = codec;
  const apiVersion = formatGroupVersion(kind);
  return { bytes: jsonHead(kind.kind, apiVersion), kind: kind.kind, apiVersion, carriedAnnotations };
}

export const startsWithHead = (json: Buffer, head: ObjectHead): boolean =>
  json.length > head.bytes.length && json.compare(head.bytes, 0, head.bytes.length, 0, head.bytes.length) === 0;

/** The object with kind, apiVersion and metadata as its first keys. */
export function identityFirst(object: KubeObject): KubeObject {
  const { kind, apiVersion, metadata, ...rest } = object;
  return { kind, apiVersion, metadata, ...rest };
}

/** JSON with kind, apiVersion and metadata as its first keys. */
export const encodeObject = (object: KubeObject): Buffer => Buffer.from(stringifyJson(identityFirst(object)));

/** The offset behind the closing brace of the object that starts at `from`; -1 = the object does not end. */
function endOfObject(json: Buffer, from: number): number {
  let depth = 0;
  let inText = false;
  for (let i = from; i < json.length; i++) {
    const byte = json[i];
    if (inText) {
      if (byte === 0x5c) i++;
      else if (byte === 0x22) inText = false;
    } else if (byte === 0x22) inText = true;
    else if (byte === 0x7b || byte === 0x5b) depth++;
    else if (byte === 0x7d || byte === 0x5d) {
      if (--depth === 0) return i + 1;
    }
  }
  return -1;
}

/** Large members that are not read where only the metadata is needed. */
const besideMetadata: Omits = ([first]) => first !== 'metadata';

/** The metadata of an object as JSON bytes, sliced out if it comes first, otherwise parsed and encoded. */
function* metadataJson(object: StoredObject, head: ObjectHead): Work<Buffer> {
  const { carriedAnnotations } = head;
  if (carriedAnnotations !== undefined) {
    const { metadata } = yield* readingStored(object, besideMetadata);
    return Buffer.from(stringifyJson(withoutAnnotations(metadata, carriedAnnotations)));
  }
  const json = yield* storedJson(object);
  const at = head.bytes.length;
  const inFront =
    startsWithHead(json, head) &&
    json.length > at + metadataMember.length &&
    json.compare(metadataMember, 0, metadataMember.length, at, at + metadataMember.length) === 0;
  if (inFront) {
    const start = at + metadataMember.length - 1;
    const end = endOfObject(json, start);
    if (end > 0) return json.subarray(start, end);
  }
  const { metadata } = yield* readingStored(object, besideMetadata);
  return Buffer.from(stringifyJson(metadata));
}

/** Removes annotations that represent internal fields. Go takes the metadata from the internal form, before a conversion adds them. */
function withoutAnnotations(metadata: ObjectMeta, names: readonly string[]): ObjectMeta {
  const kept = Object.entries(metadata.annotations ?? {}).filter(([name]) => !names.includes(name));
  const { annotations: _all, ...rest } = metadata;
  if (kept.length === 0) return rest;
  return { ...metadata, annotations: Object.fromEntries(kept) };
}

/** PartialObjectMetadata of an object, made in steps and cached with its bytes. */
export function* partialMetadata(object: StoredObject, head: ObjectHead, version: string): Work<Buffer> {
  const shape = `partial;${version}`;
  const made = object.shapes.get(shape);
  if (made !== undefined) return made;
  const partial = Buffer.concat([
    jsonHead('PartialObjectMetadata', `meta.k8s.io/${version}`),
    Buffer.from('"metadata":'),
    yield* metadataJson(object, head),
    Buffer.from('}'),
  ]);
  object.shapes.set(shape, partial);
  return partial;
}

/** The Go type of an object or list of a kind, for error messages. */
function goType(codec: ObjectCodec, list: boolean): string {
  if (codec.custom) return list ? '*unstructured.UnstructuredList' : '*unstructured.Unstructured';
  const { group, kind } = codec.kind;
  return `*${internalPackage(group)}.${kind}${list ? 'List' : ''}`;
}

/** Go treats every unstructured object as a possible list, and fails only when it reads the items; so custom resources get another error. */
export const notAList = (codec: ObjectCodec) =>
  codec.custom
    ? newUnknownError('content is not a list')
    : newNotAcceptable(
        `you requested PartialObjectMetadataList, but the requested object is not a list (${goType(codec, false)})`,
      );
export const isAList = (codec: ObjectCodec) =>
  newNotAcceptable(`you requested PartialObjectMetadata, but the requested object is a list (${goType(codec, true)})`);
