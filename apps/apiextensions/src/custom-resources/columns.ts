import type { TableColumnDefinition, TableConvertor } from '@apichain/apiserver';
import { humanDuration } from '@apichain/kinds/model';
import { currentTime, stringifyJson, type KubeObject } from '@apichain/meta';
import type { CrdPrinterColumn } from '@apichain/schema';
import { metadataColumnDescriptions } from '../metadata-columns.ts';
import { parseJsonPath, type JsonPath } from './json-path.ts';

const ageColumn: CrdPrinterColumn = {
  name: 'Age',
  type: 'date',
  description: metadataColumnDescriptions.creationTimestamp,
  jsonPath: '.metadata.creationTimestamp',
};

/** The Table of a custom resource: the name, then the CRD's columns, or the age where it has none. */
export function printerColumns(columns: readonly CrdPrinterColumn[] | undefined): TableConvertor {
  const shown = columns === undefined || columns.length === 0 ? [ageColumn] : columns;
  const cells = shown.map((column) => ({ type: column.type ?? '', path: tryParse(column.jsonPath ?? '') }));
  return {
    columns: [nameColumn, ...shown.map(definition)],
    row: (object: KubeObject) => ({
      cells: [object.metadata.name ?? '', ...cells.map(({ type, path }) => cell(type, path?.find(object)[0]))],
    }),
  };
}

const nameColumn: TableColumnDefinition = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: metadataColumnDescriptions.name,
  priority: 0,
};

const definition = (column: CrdPrinterColumn): TableColumnDefinition => ({
  name: column.name ?? '',
  type: column.type ?? '',
  format: column.format ?? '',
  description: column.description || `Custom resource definition column (in JSONPath format): ${column.jsonPath ?? ''}`,
  priority: column.priority ?? 0,
});

function tryParse(jsonPath: string): JsonPath | undefined {
  try {
    return parseJsonPath(jsonPath);
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}

/** The cell of a value: null where the value is absent or not of the column's type. */
function cell(type: string, value: unknown): unknown {
  if (value === undefined || value === null) return null;
  switch (type) {
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : typeof value === 'bigint' ? value : null;
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return typeof value === 'string' ? dateCell(value) : null;
    default:
      return typeof value === 'string' ? value : stringifyJson(value);
  }
}

function dateCell(text: string): string {
  const since = /^\d{4}-\d{2}-\d{2}T/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(since) ? '<invalid>' : humanDuration(currentTime() - since);
}
