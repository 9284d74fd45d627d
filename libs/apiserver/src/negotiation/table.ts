import { newBadRequest, stringifyJson, type ListMeta } from '@apichain/meta';
import type { StoredObject } from '@apichain/storage';
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

/** A row of a Table as JSON. */
export function rowJson(object: StoredObject, request: TableRequest): string {
  const { cells, conditions } = request.table.row(object.parse());
  const shown = conditions === undefined || conditions.length === 0 ? '' : `,"conditions":${stringifyJson(conditions)}`;
  return `{"cells":${stringifyJson(cells)}${shown},"object":${embeddedObject(object, request)}}`;
}

function embeddedObject(object: StoredObject, request: TableRequest): string {
  switch (request.include) {
    case 'None':
      return 'null';
    case 'Metadata':
      return partialMetadata(object, request.head, request.version).toString('utf8');
    case 'Object':
      return object.json.toString('utf8');
  }
}

const encodedColumns = new WeakMap<TableConvertor['columns'], string>();

/** Cached per kind, because the column definitions with their descriptions are long. */
function columnsJson(columns: TableConvertor['columns']): string {
  const known = encodedColumns.get(columns);
  if (known !== undefined) return known;
  const encoded = stringifyJson(columns);
  encodedColumns.set(columns, encoded);
  return encoded;
}

/** A Table as JSON, up to its rows. `columns` false omits the column definitions, as in every watch event but the first. */
export function tableHead(metadata: ListMeta, request: TableRequest, columns = true): string {
  const definitions = columns ? columnsJson(request.table.columns) : 'null';
  return `{"kind":"Table","apiVersion":"meta.k8s.io/${request.version}","metadata":${stringifyJson(metadata)},"columnDefinitions":${definitions},"rows":[`;
}

/** meta.k8s.io Table of one object. */
export const tableJson = (object: StoredObject, metadata: ListMeta, request: TableRequest, columns = true): string =>
  `${tableHead(metadata, request, columns)}${rowJson(object, request)}]}`;
