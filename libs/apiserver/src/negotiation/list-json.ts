import { formatGroupVersion, stringifyJson, type KubeObject, type ListMeta } from '@apichain/meta';
import type { StoredList, StoredObject } from '@apichain/storage';
import type { ObjectCodec } from '../registry/object-codec.ts';
import type { Conversion } from './accept.ts';
import { partialMetadata, startsWithHead, type ObjectHead } from './representation.ts';

/** metadata of a list answer. Unstructured lists always have their continue member. */
export function listMeta(list: StoredList, custom = false): ListMeta {
  return {
    ...(custom ? { continue: '' } : {}),
    resourceVersion: String(list.revision),
    ...(list.continue === undefined || list.continue === '' ? {} : { continue: list.continue }),
    ...(list.remainingItemCount === undefined ? {} : { remainingItemCount: list.remainingItemCount }),
  };
}

const comma = 0x2c;
const openBrace = 0x7b;
const tail = Buffer.from(']}');

/** An item's bytes, without the kind and apiVersion that items of typed lists do not repeat. */
function typedItem(item: StoredObject, head: ObjectHead): { json: Buffer; cut: boolean } {
  if (startsWithHead(item.json, head)) return { json: item.json.subarray(head.bytes.length), cut: true };
  const { kind: _kind, apiVersion: _version, ...rest } = item.parse();
  return { json: Buffer.from(stringifyJson(rest)), cut: false };
}

/** One buffer of all parts: the size is known before, and every byte is copied once. */
function join(head: string, items: readonly { json: Buffer; cut: boolean }[]): Buffer {
  const start = Buffer.from(head);
  let length = start.length + tail.length + items.length;
  for (const { json, cut } of items) length += json.length + (cut ? 1 : 0);
  const out = Buffer.allocUnsafe(length);
  let at = start.copy(out);
  for (const [i, { json, cut }] of items.entries()) {
    if (i > 0) out[at++] = comma;
    if (cut) out[at++] = openBrace;
    at += json.copy(out, at);
  }
  at += tail.copy(out, at);
  return out.subarray(0, at);
}

/** A list of a kind as JSON, made of the bytes of its items. */
export function listJson(list: StoredList, codec: ObjectCodec, listKind: string, head: ObjectHead): Buffer {
  const metadata = stringifyJson(listMeta(list, codec.custom));
  const start = `{"kind":${stringifyJson(listKind)},"apiVersion":${stringifyJson(head.apiVersion)},"metadata":${metadata},"items":[`;
  const items = codec.custom
    ? list.items.map(({ json }) => ({ json, cut: false }))
    : list.items.map((item) => typedItem(item, head));
  return join(start, items);
}

/** The same as PartialObjectMetadataList. */
export function partialListJson(list: StoredList, head: ObjectHead, version: Conversion['version']): Buffer {
  const start = `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/${version}","metadata":${stringifyJson(listMeta(list))},"items":[`;
  return join(
    start,
    list.items.map((item) => ({ json: partialMetadata(item, head, version), cut: false })),
  );
}

/** A list as an object, for representations that are not made of JSON bytes. */
export function listObject(list: StoredList, codec: ObjectCodec, listKind: string): KubeObject {
  return {
    kind: listKind,
    apiVersion: formatGroupVersion(codec.kind),
    metadata: listMeta(list, codec.custom),
    items: list.items.map((item) => {
      const object = item.parse();
      if (codec.custom) return object;
      const { kind: _kind, apiVersion: _version, ...rest } = object;
      return rest;
    }),
  };
}
