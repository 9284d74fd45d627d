import { stringifyJson, type ListMeta, type Pieces, type Work } from '@apichain/meta';
import { type StoredList, type StoredObject, readingStored, storedJson } from '@apichain/storage';
import type { ObjectCodec } from '../registry/object-codec.ts';
import type { Conversion } from '@apichain/request';
import { JoinedBytes } from '@apichain/request';
import { partialMetadata, startsWithHead, type ObjectHead } from './representation.ts';

/** The metadata of a list response. Unstructured lists always have the `continue` field. */
export function listMeta(list: StoredList, custom = false): ListMeta {
  return {
    ...(custom ? { continue: '' } : {}),
    // A list that is not read from a store has no resourceVersion.
    ...(list.revision === 0 ? {} : { resourceVersion: String(list.revision) }),
    ...(list.continue === undefined || list.continue === '' ? {} : { continue: list.continue }),
    ...(list.remainingItemCount === undefined ? {} : { remainingItemCount: list.remainingItemCount }),
  };
}

const tail = Buffer.from(']}');
const comma = Buffer.from(',');
const openBrace = Buffer.from('{');

/** What a list of JSON objects is made of. */
export interface ListForJson {
  readonly list: StoredList;
  readonly codec: ObjectCodec;
  readonly listKind: string;
  readonly head: ObjectHead;
}

function startOf({ list, codec, listKind, head }: ListForJson): Buffer {
  const metadata = stringifyJson(listMeta(list, codec.custom));
  return Buffer.from(
    `{"kind":${stringifyJson(listKind)},"apiVersion":${stringifyJson(head.apiVersion)},"metadata":${metadata},"items":[`,
  );
}

/**
 * A list as JSON, assembled from the bytes of its items and followed by `ending`. Items of typed lists omit kind and apiVersion, because the list's
 * kind and apiVersion imply them. Undefined when not all items have bytes that are sent as they are: see `listJsonPieces`.
 */
export function listJson(parts: ListForJson, ending: Buffer): JoinedBytes | undefined {
  const { list, codec, head } = parts;
  const items: Buffer[] = [];
  const cut: number[] = [];
  for (const item of list.items) {
    if (item.encoding !== undefined || !(codec.custom || startsWithHead(item.json, head))) return undefined;
    items.push(item.json);
    cut.push(codec.custom ? 0 : head.bytes.length);
  }
  return new JoinedBytes(startOf(parts), items, cut, Buffer.concat([tail, ending]));
}

/** A list as JSON whose items are encoded while it is sent. */
export function* listJsonPieces(parts: ListForJson, ending: Buffer): Pieces<Buffer> {
  yield startOf(parts);
  for (const [i, item] of parts.list.items.entries()) {
    if (i > 0) yield comma;
    yield yield* itemJson(item, parts);
  }
  yield tail;
  yield ending;
}

function* itemJson(item: StoredObject, { codec, head }: ListForJson): Work<Buffer> {
  const json = yield* storedJson(item);
  if (codec.custom) return json;
  if (startsWithHead(json, head)) return Buffer.concat([openBrace, json.subarray(head.bytes.length)]);
  const { kind: _kind, apiVersion: _version, ...rest } = yield* readingStored(item);
  return Buffer.from(stringifyJson(rest));
}

/** A list as PartialObjectMetadataList, whose items are made while it is sent. */
export function* partialListPieces(
  list: StoredList,
  head: ObjectHead,
  version: Conversion['version'],
  ending: Buffer,
): Pieces<string | Buffer> {
  yield `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/${version}","metadata":${stringifyJson(listMeta(list))},"items":`;
  // Go appends to a nil slice, which is encoded as null when the list is empty.
  yield list.items.length === 0 ? 'null' : '[';
  for (const [i, item] of list.items.entries()) {
    if (i > 0) yield comma;
    yield yield* partialMetadata(item, head, version);
  }
  yield list.items.length === 0 ? '}' : tail;
  yield ending;
}
