import { deepClone, inTurns, parsingJson, type KubeObject, type Status, type Work } from '@apichain/meta';
import {
  type ObjectAttributes,
  type StoredList,
  type StoredObject,
  readingStored,
  readStored,
  storedJson,
} from '@apichain/storage';
import type { Result } from '../registry/rest.ts';
import type { EndpointScope } from '../endpoints/scope.ts';
import type { OutputMediaType } from '@apichain/request';
import { partialContents, plainContents, tableContents } from './list-contents.ts';
import type { Query } from '@apichain/request';
import { encodeObject, isAList, notAList, partialMetadata } from './representation.ts';
import { readIncludeObject, type TableRequest } from './table.ts';
import type { Document, WholeDocument } from '@apichain/request';

const noAttributes: ObjectAttributes = { name: '', namespace: '', labels: {}, fields: {} };

/** Wraps an object that is not from a store, so that all representations are made in the same way. */
class UnstoredObject implements StoredObject {
  readonly key = '';
  readonly revision: number;
  readonly attributes = noAttributes;
  readonly shapes = new Map<string, Buffer>();
  readonly #object: KubeObject;
  #json: Buffer | undefined;

  constructor(object: KubeObject) {
    this.revision = Number(object.metadata.resourceVersion ?? 0) || 0;
    this.#object = object;
  }

  get json(): Buffer {
    return (this.#json ??= encodeObject(this.#object));
  }

  parse(): KubeObject {
    return deepClone(this.#object);
  }
}

export const unstoredObject = (object: KubeObject): StoredObject => new UnstoredObject(object);

const isStored = (result: Result): result is StoredObject => 'shapes' in result && result.shapes instanceof Map;
const isStatus = (result: Result): result is Status =>
  'kind' in result && result.kind === 'Status' && 'apiVersion' in result && result.apiVersion === 'v1';

function tableRequest(scope: EndpointScope, output: OutputMediaType, query: Query): TableRequest | undefined {
  const { table } = scope.storage;
  if (output.convert?.kind !== 'Table' || table === undefined) return undefined;
  return { table, version: output.convert.version, include: readIncludeObject(query), head: scope.head };
}

/** The representation of a result that the client requested. Throws NotAcceptable and BadRequest. */
export function resultDocument(
  scope: EndpointScope,
  result: Result,
  output: OutputMediaType,
  query: Query,
): Document | Promise<Document> {
  if (!isStored(result) && isStatus(result)) return { ...plainDocument(scope, { ...result }), status: result };
  const object = isStored(result) ? result : unstoredObject(result);
  const { convert } = output;
  if (convert === undefined) return objectDocument(scope, object);
  const table = tableRequest(scope, output, query);
  if (table !== undefined) {
    return { list: tableContents(scope, { items: [object], revision: object.revision }, table) };
  }
  if (convert.kind === 'PartialObjectMetadataList') throw notAList(scope.codec);
  const partial = inTurns(partialMetadata(object, scope.head, convert.version));
  const document = (json: Buffer) => partialDocument(scope, json);
  return partial instanceof Promise ? partial.then(document) : document(partial);
}

function partialDocument(scope: EndpointScope, partial: Buffer): WholeDocument {
  function* protobuf(): Work<Buffer> {
    return scope.protobufCodec().encode((yield* parsingJson(partial)) as KubeObject);
  }
  return { json: () => partial, value: () => inTurns(parsingJson(partial)), protobuf: () => inTurns(protobuf()) };
}

function plainDocument(scope: EndpointScope, object: KubeObject): WholeDocument {
  return {
    json: () => encodeObject(object),
    value: () => object,
    protobuf: () => scope.protobufCodec().encode(object),
  };
}

function objectDocument(scope: EndpointScope, object: StoredObject): WholeDocument {
  return {
    json: () => inTurns(storedJson(object)),
    value: () => readStored(object),
    protobuf: () => inTurns(encodingProtobuf(scope, object)),
  };
}

function* encodingProtobuf(scope: EndpointScope, object: StoredObject): Work<Buffer> {
  const made = object.shapes.get(scope.protobufShape);
  if (made !== undefined) return made;
  const bytes = scope.protobufCodec().encode(yield* readingStored(object));
  object.shapes.set(scope.protobufShape, bytes);
  return bytes;
}

/** The representation of a list that the client requested. Throws NotAcceptable and BadRequest. */
export function listDocument(scope: EndpointScope, list: StoredList, output: OutputMediaType, query: Query): Document {
  const { convert } = output;
  if (convert === undefined) return { list: plainContents(scope, list) };
  const table = tableRequest(scope, output, query);
  if (table !== undefined) return { list: tableContents(scope, list, table) };
  if (convert.kind === 'PartialObjectMetadata') throw isAList(scope.codec);
  return { list: partialContents(scope, list, convert.version) };
}
