import { formatGroupVersion, LazyList, parseJson, type JsonObject, type KubeObject, type Pieces } from '@apichain/meta';
import type { ListContents, ProtobufCodec } from '@apichain/request';
import type { StoredList, StoredObject } from '@apichain/storage';
import type { EndpointScope } from '../endpoints/scope.ts';
import { listJson, listMeta, partialListJson } from './list-json.ts';
import { partialMetadata } from './representation.ts';
import { rowJson, tableHead, type TableRequest } from './table.ts';

/** The name of the protobuf form of a list's item among the shapes of an object. */
const itemShape = (shape: string): string => `${shape};item`;

/**
 * A list as protobuf. The length of the items stands before them, so they are encoded first only for their lengths, as kube-apiserver does. `item`
 * keeps what it has encoded as long as there is room.
 * Source: StreamingCollectionEncodingToProtobuf of k8s.io/apimachinery/pkg/runtime/serializer/protobuf/collections.go.
 */
function* protobufPieces(
  codec: ProtobufCodec,
  head: KubeObject,
  items: readonly StoredObject[],
  item: (object: StoredObject) => Buffer,
): Pieces<Buffer> {
  let length = 0;
  for (const object of items) {
    length += item(object).length;
    yield;
  }
  const { before, after } = codec.encodeListFrame(head, length);
  yield before;
  for (const object of items) yield item(object);
  yield after;
}

/** The encoded form of an object, from its shapes where it is there. */
function kept(object: StoredObject, shape: string, encode: () => Buffer): Buffer {
  const known = object.shapes.get(shape);
  if (known !== undefined) return known;
  const made = encode();
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
  const joined = (ending: Buffer) => listJson(list, codec, listKind, head, ending);
  return {
    joined,
    json: (ending) => joined(ending).copiedPieces(),
    value: () => ({ ...listHead, items: new LazyList(list.items.length, (i) => itemValue(scope, list.items[i])) }),
    protobuf: () => {
      const protobuf = scope.protobufCodec();
      const shape = itemShape(scope.protobufShape);
      const item = (object: StoredObject) =>
        kept(object, shape, () => protobuf.encodeListItem(listHead, object.parse()));
      return protobufPieces(protobuf, listHead, list.items, item);
    },
  };
}

function itemValue({ codec }: EndpointScope, object: StoredObject | undefined): unknown {
  const value = object?.parse();
  if (codec.custom || value === undefined) return value;
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
  const joined = (ending: Buffer) => partialListJson(list, scope.head, version, ending);
  const value = (object: StoredObject) => parseJson(partialMetadata(object, scope.head, version)) as KubeObject;
  const valueAt = (i: number) => (items[i] === undefined ? undefined : value(items[i]));
  return {
    joined,
    json: (ending) => joined(ending).copiedPieces(),
    // Go appends to a nil slice, which is encoded as null when the list is empty.
    value: () => ({ ...listHead, items: items.length === 0 ? null : new LazyList(items.length, valueAt) }),
    protobuf: () => {
      const protobuf = scope.protobufCodec();
      const shape = itemShape(`partial;${version};protobuf`);
      const item = (object: StoredObject) =>
        kept(object, shape, () => protobuf.encodeListItem(listHead, value(object)));
      return protobufPieces(protobuf, listHead, items, item);
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
      yield `${i === 0 ? '' : ','}${rowJson(object, request)}`;
    }
    yield ']}';
    yield ending;
  }
  return {
    json,
    value: () => ({
      ...(parseJson(`${head}]}`) as JsonObject),
      rows: new LazyList(items.length, (i) =>
        items[i] === undefined ? undefined : parseJson(rowJson(items[i], request)),
      ),
    }),
    protobuf: function* () {
      yield scope.encodeProtobuf({ kind: 'Table', apiVersion: '', metadata: {} });
    },
  };
}
