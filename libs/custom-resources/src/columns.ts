import { lazyTable, type TableColumnDefinition, type TableConvertor } from '@apichain/apiserver';
import { humanDuration } from '@apichain/go-text';
import { fieldDescription } from '@apichain/kinds/model';
import { currentTime, stringifyJson, type KubeObject, type Omits } from '@apichain/meta';
import { formatNumber, parseTime } from '@apichain/go-text';
import { sortKeys, type CrdPrinterColumn } from '@apichain/schema';
import { parseJsonPath, type JsonPath } from './json-path.ts';

/** The column of a custom resource without columns of its own. */
export const ageColumn: CrdPrinterColumn = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
};

/**
 * The Table of a custom resource: the name, then the CRD's columns, or the age when the CRD has no columns. A column whose path cannot be parsed
 * is omitted with all columns after it.
 */
export function printerColumns(columns: readonly CrdPrinterColumn[] | undefined): TableConvertor {
  const asked = columns === undefined || columns.length === 0 ? [ageColumn] : columns;
  const paths = asked.map((column) => tryParse(column.jsonPath ?? ''));
  const readable = paths.includes(undefined) ? paths.indexOf(undefined) : paths.length;
  const shown = asked.slice(0, readable);
  const cells = shown.map((column, i) => ({ type: column.type ?? '', path: paths[i] }));
  return lazyTable(
    () => [nameColumn(), ...shown.map(definition)],
    (object: KubeObject) => ({
      cells: [object.metadata.name ?? '', ...cells.map(({ type, path }) => cell(type, firstOf(path, object)))],
    }),
    omitsAllBut([['metadata', 'name'], ...paths.slice(0, readable).map((path) => path?.leadingNames ?? [])]),
  );
}

/** Reads of large objects what lies on the paths. */
function omitsAllBut(paths: readonly (readonly string[])[]): Omits {
  return (place) => {
    const inside = paths.filter((path) => place.every((name, i) => i >= path.length || name === path[i]));
    if (inside.length === 0) return true;
    return inside.every((path) => path.length > place.length) && inside.map((path) => path[place.length] ?? '');
  };
}

/** The first value that a path selects; undefined when the path selects none or does not fit the object. */
function firstOf(path: JsonPath | undefined, object: KubeObject): unknown {
  try {
    return path?.find(object)[0];
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}

/** The first column of every Table. */
export const nameColumn = (): TableColumnDefinition => ({
  name: 'Name',
  type: 'string',
  format: 'name',
  description: fieldDescription('meta.v1.ObjectMeta.name'),
  priority: 0,
});

const definition = (column: CrdPrinterColumn): TableColumnDefinition => ({
  name: column.name ?? '',
  type: column.type ?? '',
  format: column.format ?? '',
  description: descriptionOf(column),
  priority: column.priority ?? 0,
});

function descriptionOf(column: CrdPrinterColumn): string {
  if (column === ageColumn) return fieldDescription('meta.v1.ObjectMeta.creationTimestamp');
  return column.description || `Custom resource definition column (in JSONPath format): ${column.jsonPath ?? ''}`;
}

function tryParse(jsonPath: string): JsonPath | undefined {
  try {
    return parseJsonPath(jsonPath);
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}

/** The cell of a value: null when the value is absent or not of the column's type. */
function cell(type: string, value: unknown): unknown {
  if (value === undefined) return null;
  if (type === 'string') return textCell(value);
  switch (type) {
    case 'integer':
      return typeof value === 'number' ? integerCell(value) : typeof value === 'bigint' ? value : null;
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return typeof value === 'string' ? dateCell(value) : null;
    default:
      return null;
  }
}

/** Go's zero time, the start of the year 1, in microseconds. */
const zeroTime = parseTime('0001-01-01T00:00:00Z');
const smallestInt64 = -(2n ** 63n);

/** A number that does not fit an int64 gives the result of the processor's conversion, as in Go. */
const integerCell = (value: number): number | bigint => (Math.abs(value) < 2 ** 63 ? Math.trunc(value) : smallestInt64);

function textCell(value: unknown): string {
  if (value === null) return '<no value>';
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return formatNumber(value);
  return stringifyJson(sortKeys(value));
}

function dateCell(text: string): string {
  if (text === '' || text === 'null') return '<unknown>';
  const since = parseTime(text);
  if (since === undefined) return '<invalid>';
  return since === zeroTime ? '<unknown>' : humanDuration(currentTime() - Number(since / 1000n));
}
