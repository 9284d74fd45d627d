import {
  newBadRequest,
  parseJson,
  parsingJson,
  stringifyJson,
  type JsonObject,
  type ListMeta,
  type Pieces,
  type Work,
  oncePerObject,
} from '@apichain/meta';
import { type StoredObject, readingStored, storedJson } from '@apichain/storage';
import type { TableConvertor } from '../registry/rest.ts';
import type { Conversion } from '@apichain/request';
import type { Query } from '@apichain/request';
import { partialMetadata, type ObjectHead } from './representation.ts';

export type IncludeObject = 'None' | 'Metadata' | 'Object';

/** The `includeObject` parameter of Table requests. Throws BadRequest. */
export function readIncludeObject(query: Query): IncludeObject {
  const value = query.text('includeObject');
  if (value === '') return 'Metadata';
  if (value === 'None' || value === 'Metadata' || value === 'Object') return value;
  throw newBadRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(value)}: must be 'Metadata', 'Object', 'None', or empty`,
  );
}

export interface TableRequest {
  readonly table: TableConvertor;
  readonly version: Conversion['version'];
  readonly include: IncludeObject;
  readonly head: ObjectHead;
}

/** The cells and conditions of a row, made in steps; as JSON without the closing brace. */
function* cellsJson(object: StoredObject, { table }: TableRequest): Work<string> {
  const { cells, conditions } = table.row(yield* readingStored(object, table.omits));
  const shown = conditions === undefined || conditions.length === 0 ? '' : `,"conditions":${stringifyJson(conditions)}`;
  return `{"cells":${stringifyJson(cells)}${shown}`;
}

const nothing = Buffer.from('null');

/** The object in a row as JSON. */
function* embeddedObject(object: StoredObject, { include, head, version }: TableRequest): Work<Buffer> {
  switch (include) {
    case 'None':
      return nothing;
    case 'Metadata':
      return yield* partialMetadata(object, head, version);
    case 'Object':
      return yield* storedJson(object);
  }
}

/** A row of a Table as JSON. */
export function* rowPieces(object: StoredObject, request: TableRequest): Pieces<string | Buffer> {
  const cells = yield* cellsJson(object, request);
  const embedded = yield* embeddedObject(object, request);
  if (embedded.length <= joinedBytes) {
    yield `${cells},"object":${embedded.toString('utf8')}}`;
    return;
  }
  yield `${cells},"object":`;
  yield embedded;
  yield '}';
}

/** Larger objects are pieces of their own. */
const joinedBytes = 64 * 1024;

/** A row of a Table as a value, made in steps. */
export function* rowValue(object: StoredObject, request: TableRequest): Work<unknown> {
  const row = parseJson(`${yield* cellsJson(object, request)}}`) as JsonObject;
  const embedded =
    request.include === 'Object'
      ? yield* readingStored(object)
      : yield* parsingJson(yield* embeddedObject(object, request));
  return { ...row, object: embedded };
}

/** Kept for each kind, because the column definitions with their descriptions are long. */
const columnsJson = oncePerObject((columns: TableConvertor['columns']) => stringifyJson(columns));

/** A Table as JSON, up to its rows. `columns` false omits the column definitions, as in every watch event but the first. */
export function tableHead(metadata: ListMeta, request: TableRequest, columns = true): string {
  const definitions = columns ? columnsJson(request.table.columns) : 'null';
  return `{"kind":"Table","apiVersion":"meta.k8s.io/${request.version}","metadata":${stringifyJson(metadata)},"columnDefinitions":${definitions},"rows":[`;
}

/** meta.k8s.io Table of one object. */
export function* tablePieces(
  object: StoredObject,
  metadata: ListMeta,
  request: TableRequest,
  columns = true,
): Pieces<string | Buffer> {
  yield tableHead(metadata, request, columns);
  yield* rowPieces(object, request);
  yield ']}';
}
