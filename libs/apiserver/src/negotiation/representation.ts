import {
  formatGroupVersion,
  newNotAcceptable,
  newUnknownError,
  stringifyJson,
  type KubeObject,
  type ObjectMeta,
} from '@apichain/meta';
import type { StoredObject } from '@apichain/storage';
import type { ObjectCodec } from '../registry/object-codec.ts';
import { internalPackage } from './check-kind.ts';

/*
 * Shapes of objects that are made from their bytes. Keys and bytes are those of the JSON that the store serves: kind, apiVersion and
 * metadata first.
 */

const jsonHead = (kind: string, apiVersion: string): Buffer =>
  Buffer.from(`{"kind":${stringifyJson(kind)},"apiVersion":${stringifyJson(apiVersion)},`);
const metadataMember = Buffer.from('"metadata":{');

/** The bytes of a kind's objects up to their metadata, by which they are recognised and cut. */
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

/** The object with kind, apiVersion and metadata in front. */
export function identityFirst(object: KubeObject): KubeObject {
  const { kind, apiVersion, metadata, ...rest } = object;
  return { kind, apiVersion, metadata, ...rest };
}

/** JSON text with kind, apiVersion and metadata in front. */
export const encodeObject = (object: KubeObject): Buffer => Buffer.from(stringifyJson(identityFirst(object)));

/** Where the object that starts at `from` ends (behind its brace); -1 = never. */
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

/** The metadata of an object as JSON bytes, cut out where it stands in front, otherwise by parsing. */
function metadataJson(object: StoredObject, head: ObjectHead): Buffer {
  const { json } = object;
  const { carriedAnnotations } = head;
  if (carriedAnnotations !== undefined)
    return Buffer.from(stringifyJson(withoutAnnotations(object.parse().metadata, carriedAnnotations)));
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
  return Buffer.from(stringifyJson(object.parse().metadata));
}

/** Go cuts metadata out of the internal form, before a conversion adds annotations to it. */
function withoutAnnotations(metadata: ObjectMeta, names: readonly string[]): ObjectMeta {
  const kept = Object.entries(metadata.annotations ?? {}).filter(([name]) => !names.includes(name));
  const { annotations: _all, ...rest } = metadata;
  if (kept.length === 0) return rest;
  return { ...metadata, annotations: Object.fromEntries(kept) };
}

/** PartialObjectMetadata of an object, kept with its bytes. */
export function partialMetadata(object: StoredObject, head: ObjectHead, version: string): Buffer {
  const shape = `partial;${version}`;
  const made = object.shapes.get(shape);
  if (made !== undefined) return made;
  const partial = Buffer.concat([
    jsonHead('PartialObjectMetadata', `meta.k8s.io/${version}`),
    Buffer.from('"metadata":'),
    metadataJson(object, head),
    Buffer.from('}'),
  ]);
  object.shapes.set(shape, partial);
  return partial;
}

/** How Go prints the type of an object or list of a kind, for the words of errors. */
function goType(codec: ObjectCodec, list: boolean): string {
  if (codec.custom) return list ? '*unstructured.UnstructuredList' : '*unstructured.Unstructured';
  const { group, kind } = codec.kind;
  return `*${internalPackage(group)}.${kind}${list ? 'List' : ''}`;
}

/** A custom resource has the methods of a list, and is found out when its items are looked for. */
export const notAList = (codec: ObjectCodec) =>
  codec.custom
    ? newUnknownError('content is not a list')
    : newNotAcceptable(
        `you requested PartialObjectMetadataList, but the requested object is not a list (${goType(codec, false)})`,
      );
export const isAList = (codec: ObjectCodec) =>
  newNotAcceptable(`you requested PartialObjectMetadata, but the requested object is a list (${goType(codec, true)})`);
