import { stringifyJson, type ListMeta } from '@apichain/meta';
import type { StoredList, StoredObject } from '@apichain/storage';
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

/**
 * A list as JSON, assembled from the bytes of its items and followed by `ending`. Items of typed lists omit kind and
 * apiVersion, because the list's kind and apiVersion imply them.
 */
export function listJson(
  list: StoredList,
  codec: ObjectCodec,
  listKind: string,
  head: ObjectHead,
  ending: Buffer,
): JoinedBytes {
  const metadata = stringifyJson(listMeta(list, codec.custom));
  const start = `{"kind":${stringifyJson(listKind)},"apiVersion":${stringifyJson(head.apiVersion)},"metadata":${metadata},"items":[`;
  const items: Buffer[] = [];
  const cut: number[] = [];
  for (const item of list.items) {
    const inFront = !codec.custom && startsWithHead(item.json, head);
    items.push(codec.custom || inFront ? item.json : withoutHead(item));
    cut.push(inFront ? head.bytes.length : 0);
  }
  return new JoinedBytes(Buffer.from(start), items, cut, Buffer.concat([tail, ending]));
}

function withoutHead(item: StoredObject): Buffer {
  const { kind: _kind, apiVersion: _version, ...rest } = item.parse();
  return Buffer.from(stringifyJson(rest));
}

/** A list as PartialObjectMetadataList, assembled like `listJson`. */
export function partialListJson(
  list: StoredList,
  head: ObjectHead,
  version: Conversion['version'],
  ending: Buffer,
): JoinedBytes {
  const start = `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/${version}","metadata":${stringifyJson(listMeta(list))},"items":`;
  // Go appends to a nil slice, which is encoded as null when the list is empty.
  if (list.items.length === 0) return new JoinedBytes(Buffer.from(`${start}null}`), [], [], ending);
  const items = list.items.map((item) => partialMetadata(item, head, version));
  return new JoinedBytes(Buffer.from(`${start}[`), items, [], Buffer.concat([tail, ending]));
}
