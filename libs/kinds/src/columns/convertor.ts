import { lazyTable, type TableColumnDefinition, type TableConvertor } from '@apichain/apiserver';
import { isSet, lookupTable, type KubeObject, type Omits } from '@apichain/meta';
import columnsFile from '../generated/columns.json' with { type: 'json' };
import { fieldDescription } from '../documentation.ts';
import { at, text } from '../fields.ts';
import { age, type Cell, type Cells, type CellTable } from './cells.ts';
import { describedColumns, documentedFields } from './descriptions.ts';
import { podCells, podRowConditions } from './pod.ts';
import { accessCells } from './access.ts';
import { clusterCells } from './cluster.ts';
import { controlCells } from './control.ts';
import { devicesCells } from './devices.ts';
import { networkingCells } from './networking.ts';
import { storageCells } from './storage.ts';
import { workloadsCells } from './workloads.ts';

/** Functions for the cells that do not show a single field, by `Kind` or `Kind.group` and column name. */
const kindCells: CellTable = {
  ...workloadsCells,
  ...networkingCells,
  ...storageCells,
  ...accessCells,
  ...controlCells,
  ...devicesCells,
  ...clusterCells,
};

/** The cells of a kind, for code that handles every kind; the functions receive objects in the storage version of the kind. */
const cellsOf = (kind: string): Cells => (kindCells as Readonly<Record<string, Cells | undefined>>)[kind] ?? {};

interface RawColumn {
  name: string;
  type: string;
  format?: string;
  priority: number;
  /** The cell is the text of the field at this path. */
  path?: string;
  /** The cell is the age of the timestamp at this path. */
  age?: string;
}
interface RawKind {
  group: string;
  kind: string;
  columns: RawColumn[];
}

const raw: readonly RawKind[] = columnsFile;
const kindName = (group: string, kind: string): string => (group === '' ? kind : `${kind}.${group}`);
const columnsByKind = new Map(raw.map((entry) => [kindName(entry.group, entry.kind), entry.columns]));
const defaultColumns: RawColumn[] = [
  { name: 'Name', type: 'string', format: 'name', priority: 0, path: 'metadata.name' },
  { name: 'Created At', type: 'date', priority: 0 },
];

const metadataFields: Readonly<Record<string, string>> = lookupTable({
  Name: 'meta.v1.ObjectMeta.name',
  Age: 'meta.v1.ObjectMeta.creationTimestamp',
  'Created At': 'meta.v1.ObjectMeta.creationTimestamp',
});

function description(kind: string, column: string): string {
  const text = describedColumns[kind]?.[column];
  if (text !== undefined) return text;
  const field = documentedFields[kind]?.[column] ?? metadataFields[column];
  return field === undefined ? '' : fieldDescription(field);
}

const definition = (kind: string, { name, type, format, priority }: RawColumn): TableColumnDefinition => ({
  name,
  type,
  format: format ?? '',
  description: description(kind, name),
  priority,
});

const createdAt: Cell = (object) => object.metadata.creationTimestamp ?? null;

/** The text of the field at a path of the column table. */
function textOf(path: string): Cell {
  const names = path.split('.');
  return (object) => text(at(object, ...names));
}

/** The age of the timestamp at a path. */
function ageOf(path: string): Cell {
  const names = path.split('.');
  return (object) => {
    const value = at(object, ...names);
    return isSet(value) ? age(value) : '<unknown>';
  };
}

function cellOf(kind: string, column: RawColumn): Cell {
  const own = cellsOf(kind)[column.name];
  if (own !== undefined) return own;
  if (column.age !== undefined) return ageOf(column.age);
  // A number or a boolean would show as nothing.
  if (column.path !== undefined && column.type === 'string') return textOf(column.path);
  if (column.name === 'Created At') return createdAt;
  throw new Error(`no cell for column ${column.name} of ${kind}`);
}

const podRow: TableConvertor['row'] = (pod) => {
  const conditions = podRowConditions(pod);
  return conditions === undefined ? { cells: podCells(pod) } : { cells: podCells(pod), conditions };
};

function rowsOf(
  kind: string,
  columns: readonly RawColumn[],
  toHub: (object: KubeObject) => KubeObject,
): TableConvertor['row'] {
  if (kind === 'Pod') return podRow;
  const cells = columns.map((column) => cellOf(kind, column));
  // The printer of IPAddress writes one cell more than it has columns.
  if (kind === 'IPAddress.networking.k8s.io') cells.push((object) => age(object.metadata.creationTimestamp));
  return (object) => {
    const hub = toHub(object);
    return { cells: cells.map((cell) => cell(hub)) };
  };
}

/** No column shows managed fields. Of the data of ConfigMaps and Secrets the members are counted. */
const omits: Omits = ([first, second, third]) =>
  third === undefined &&
  ((first === 'metadata' && second === 'managedFields') ||
    (second === undefined && (first === 'data' || first === 'binaryData')));

/**
 * The Table columns of a built-in kind, as kubectl get shows them. Cells are computed from the storage version, which `toHub` makes from an object
 * in the version of the endpoint (the fields of a kind differ between versions); the object is not modified.
 */
export function tableConvertor(
  group: string,
  kind: string,
  toHub: (object: KubeObject) => KubeObject = (object) => object,
): TableConvertor {
  const name = kindName(group, kind);
  // Both groups of events have the same columns.
  const described = kind === 'Event' ? kind : name;
  const columns = columnsByKind.get(described) ?? defaultColumns;
  return lazyTable(() => columns.map((column) => definition(described, column)), rowsOf(name, columns, toHub), omits);
}
