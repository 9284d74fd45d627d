import { age } from '../parts/units.ts';
import type { Column, Row } from './live-table.ts';

/** A column of the server, and its place in the cells of a row; -1 for one that the console adds. */
export interface ShownColumn extends Column {
  readonly index: number;
}

/** Columns that no server sends. */
const ownColumn = (name: string, description: string, priority: number): ShownColumn => ({
  ...{ name, description, priority, type: 'string', index: -1 },
});

/** All columns that a list may show: the namespace first where there are several, the labels last. */
export const columnsOf = (columns: readonly Column[], withNamespace: boolean): readonly ShownColumn[] => [
  ...(withNamespace ? [ownColumn('Namespace', 'The namespace of the object.', 0)] : []),
  ...columns.map((column, index) => ({ ...column, index })),
  ownColumn('Labels', 'The labels of the object.', 1),
];

/** The text of a cell. Ages are counted here: those of the server are as old as the row. */
export function cellText({ name, index }: ShownColumn, { cells, object: { metadata } }: Row): string {
  if (index < 0 && name === 'Namespace') return metadata.namespace ?? '';
  if (index < 0) return labelsText(metadata.labels ?? {});
  if (name === 'Age' && metadata.creationTimestamp !== undefined) return age(metadata.creationTimestamp);
  const cell = cells[index];
  if (cell === null || cell === undefined) return '';
  return typeof cell === 'string' ? cell : JSON.stringify(cell);
}

const labelsText = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');

/** How rows are sorted: by a column, upwards or downwards. */
export interface Order {
  readonly column: string;
  readonly isDown: boolean;
}

/** From the place in the URL: `Name`, `-Age`. Undefined = as the server lists them. */
export const orderOf = (text: string): Order | undefined =>
  text === '' ? undefined : { column: text.replace(/^-/, ''), isDown: text.startsWith('-') };

/** The next order after a click on a column: upwards, downwards, and as the server lists them. */
export function nextOrder(order: Order | undefined, column: string): string {
  if (order?.column !== column) return column;
  return order.isDown ? '' : `-${column}`;
}

/** The rows whose names have the text, in this order. */
export function shownRows(
  rows: readonly Row[],
  filter: string,
  order: Order | undefined,
  columns: readonly ShownColumn[],
): readonly Row[] {
  const text = filter.trim().toLowerCase();
  const found = text === '' ? rows : rows.filter(({ object }) => object.metadata.name.toLowerCase().includes(text));
  const column = columns.find(({ name }) => name === order?.column);
  const valueOf = column === undefined ? placeOf : (row: Row) => valueOfCell(column, row);
  const keyed = found.map((row) => ({ row, value: valueOf(row) }));
  const sign = order?.isDown === true ? -1 : 1;
  return keyed.sort((a, b) => sign * compare(a.value, b.value)).map(({ row }) => row);
}

/** The order of the server: by namespace, then by name. */
const placeOf = ({ object: { metadata } }: Row): string => `${metadata.namespace ?? ''}\n${metadata.name}`;

/** Numbers, also those with which a text begins (`2/3`, `5 (3m ago)`), are sorted as numbers, and before other texts. */
function valueOfCell(column: ShownColumn, row: Row): string | number {
  const { creationTimestamp } = row.object.metadata;
  // The younger, the smaller the age.
  if (column.name === 'Age' && creationTimestamp !== undefined) return -Date.parse(creationTimestamp);
  const text = cellText(column, row);
  const number = /^-?\d+(\.\d+)?(?![\w.-])/.exec(text)?.[0];
  return number === undefined ? text : Number(number);
}

function compare(a: string | number, b: string | number): number {
  if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Rows whose texts decide how wide a column is. */
const sampled = 200;
const widest = 46;

/** The widths of columns in characters, from their names and the first rows: they must not depend on the rows in sight. */
export const widthsOf = (columns: readonly ShownColumn[], rows: readonly Row[]): readonly number[] =>
  columns.map((column) => {
    const texts = [`${column.name}  `, ...rows.slice(0, sampled).map((row) => cellText(column, row))];
    return Math.min(widest, Math.max(5, ...texts.map(({ length }) => length))) + 4;
  });
