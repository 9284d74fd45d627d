import {
  formatGroupVersion,
  LazyList,
  parseJson,
  parsingJson,
  type JsonObject,
  type KubeObject,
  type Pieces,
  type Work,
} from '@apichain/meta';
import type { ListContents, ProtobufCodec } from '@apichain/request';
import { type StoredList, type StoredObject, readingStored } from '@apichain/storage';
import type { EndpointScope } from '../endpoints/scope.ts';
import { listJson, listJsonPieces, listMeta, partialListPieces } from './list-json.ts';
import { partialMetadata } from './representation.ts';
import { rowPieces, rowValue, tableHead, type TableRequest } from './table.ts';

/** The name of the protobuf form of a list's item among the shapes of an object. */
const itemShape = (shape: string): string => `${shape};item`;

/** An encoding of a larger object is shared between lists. */
const largeObject = 64 * 1024;

const isLarge = ({ encoding, json }: StoredObject): boolean => encoding !== undefined || json.length > largeObject;

const endOfItem = Buffer.alloc(0);

/**
 * A list as protobuf. The length of the items stands before them, so they are encoded first only for their lengths, as kube-apiserver does. `item`
 * keeps what it has encoded as long as there is room.
 * Source: StreamingCollectionEncodingToProtobuf of k8s.io/apimachinery/pkg/runtime/serializer/protobuf/collections.go.
 */
function* protobufPieces(
  codec: ProtobufCodec,
  head: KubeObject,
  items: readonly StoredObject[],
  shape: string,
  item: (object: StoredObject) => Work<Buffer>,
): Pieces<Buffer> {
  let length = 0;
  for (const object of items) {
    length += yield* lengthOf(object, shape, item);
    yield endOfItem;
  }
  const { before, after } = codec.encodeListFrame(head, length);
  yield before;
  for (const object of items) yield yield* item(object);
  yield after;
}

/**
 * The length of an item. That of a large one is kept longer than the item itself, so that it is encoded for its length once: many lists of large objects would
 * otherwise take so long before their first byte that they end with 504.
 */
function* lengthOf(object: StoredObject, shape: string, item: (object: StoredObject) => Work<Buffer>): Work<number> {
  if (!isLarge(object)) return (yield* item(object)).length;
  const known = object.shapes.get(`${shape};length`);
  if (known !== undefined) return Number(known.toString());
  const { length } = yield* item(object);
  object.shapes.set(`${shape};length`, Buffer.from(String(length)));
  return length;
}

/**
 * An item of a list as protobuf, from the shapes of the object where it is there. A user encodes one large item at a time, so while this list waits at its
 * first step, another of his lists may encode the item: parallel lists share the work.
 */
function* protobufItem(
  codec: ProtobufCodec,
  list: KubeObject,
  object: StoredObject,
  shape: string,
  value: Work<KubeObject>,
): Work<Buffer> {
  if (isLarge(object) && !object.shapes.has(shape)) yield;
  const known = object.shapes.get(shape);
  if (known !== undefined) return known;
  const item = yield* value;
  const made = codec.encodeListItem(list, item);
  object.shapes.set(shape, made);
  return made;
}

/** A list of objects as they are. */
export function plainContents(scope: EndpointScope, list: StoredList): ListContents {
  const { codec, storage, head } = scope;
  const { listKind } = storage.info;
  const listHead = {
    kind: listKind,
    apiVersion: formatGroupVersion(codec.kind),
    metadata: listMeta(list, codec.custom),
  };
  const parts = { list, codec, listKind, head };
  return {
    joined: (ending) => listJson(parts, ending),
    json: (ending) => listJson(parts, ending)?.copiedPieces() ?? listJsonPieces(parts, ending),
    value: () => ({ ...listHead, items: new LazyList(list.items.length, (i) => itemValue(scope, list.items[i])) }),
    protobuf: () => {
      const protobuf = scope.protobufCodec();
      const shape = itemShape(scope.protobufShape);
      const item = (object: StoredObject) => protobufItem(protobuf, listHead, object, shape, readingStored(object));
      return protobufPieces(protobuf, listHead, list.items, shape, item);
    },
  };
}

function* itemValue({ codec }: EndpointScope, object: StoredObject | undefined): Work<unknown> {
  if (object === undefined) return undefined;
  const value = yield* readingStored(object);
  if (codec.custom) return value;
  const { kind: _kind, apiVersion: _version, ...rest } = value;
  return rest;
}

/** A list as PartialObjectMetadataList. */
export function partialContents(
  scope: EndpointScope,
  list: StoredList,
  version: TableRequest['version'],
): ListContents {
  const listHead = {
    kind: 'PartialObjectMetadataList',
    apiVersion: `meta.k8s.io/${version}`,
    metadata: listMeta(list),
  };
  const { items } = list;
  function* value(object: StoredObject): Work<KubeObject> {
    return (yield* parsingJson(yield* partialMetadata(object, scope.head, version))) as KubeObject;
  }
  function* valueAt(i: number): Work<unknown> {
    return items[i] === undefined ? undefined : yield* value(items[i]);
  }
  return {
    json: (ending) => partialListPieces(list, scope.head, version, ending),
    // Go appends to a nil slice, which is encoded as null when the list is empty.
    value: () => ({ ...listHead, items: items.length === 0 ? null : new LazyList(items.length, valueAt) }),
    protobuf: () => {
      const protobuf = scope.protobufCodec();
      const shape = itemShape(`partial;${version};protobuf`);
      const item = (object: StoredObject) => protobufItem(protobuf, listHead, object, shape, value(object));
      return protobufPieces(protobuf, listHead, items, shape, item);
    },
  };
}

/** A list as a Table. */
export function tableContents(scope: EndpointScope, list: StoredList, request: TableRequest): ListContents {
  const { items } = list;
  const head = tableHead(listMeta(list), request);
  function* json(ending: Buffer): Pieces<string | Buffer> {
    yield head;
    for (const [i, object] of items.entries()) {
      if (i > 0) yield ',';
      yield* rowPieces(object, request);
    }
    yield ']}';
    yield ending;
  }
  function* rowAt(i: number): Work<unknown> {
    return items[i] === undefined ? undefined : yield* rowValue(items[i], request);
  }
  return {
    json,
    value: () => ({ ...(parseJson(`${head}]}`) as JsonObject), rows: new LazyList(items.length, rowAt) }),
    protobuf: function* () {
      yield scope.encodeProtobuf({ kind: 'Table', apiVersion: '', metadata: {} });
    },
  };
}
