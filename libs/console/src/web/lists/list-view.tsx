import { useEffect, useMemo, useState } from 'preact/hooks';
import { isForbidden } from '../api/api.ts';
import { pathOf, type Kind } from '../api/kinds.ts';
import { NamespaceSelect } from '../parts/namespace-select.tsx';
import { Header } from '../parts/parts.tsx';
import { Refusal } from '../parts/refusal.tsx';
import { WindowTable } from '../parts/window-table.tsx';
import { go, linkTo, replaceQuery } from '../shell/routes.ts';
import { prefer, toggled, usePreferences } from '../shell/preferences.ts';
import { useShortcuts } from '../shell/shortcuts.ts';
import { keyOf, maxRows, rowsNamed, useLiveTable, type LiveTable, type Row } from './live-table.ts';
import { NotAllowed } from './not-allowed.tsx';
import { cellText, columnsOf, nextOrder, orderOf, shownRows, widthsOf, type ShownColumn } from './rows.ts';
import { SelectionBar } from './selection-bar.tsx';

interface Props {
  readonly kind: Kind;
  /** `namespace`, `name`, `labels`, `sort`: the place can be shared. */
  readonly query: URLSearchParams;
  /** The name of the user. */
  readonly user: string;
}

const rowHeight = 33;

/** The objects of a kind, with the columns that the server gives them, followed by a watch. */
export function ListView({ kind, query, user }: Props) {
  const [namespace, filter] = [query.get('namespace') ?? '', query.get('name') ?? ''];
  const [labels, sort] = [query.get('labels') ?? '', query.get('sort') ?? ''];
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [current, setCurrent] = useState<number>();
  const path = pathOf(kind, namespace);
  const selector = labels === '' ? '' : `&labelSelector=${encodeURIComponent(labels)}`;
  const table = useLiveTable(path, selector);
  const found = useFound(path, filter, selector, table);
  const columns = useMemo(
    () => columnsOf(table.columns, kind.namespaced && namespace === ''),
    [table.columns, namespace],
  );
  const order = orderOf(sort);
  const rows = useMemo(() => shownRows(found, filter, orderOf(sort), columns), [found, filter, sort, columns]);
  const shown = useShownColumns(kind, columns);
  const widths = useMemo(() => widthsOf(shown, rows), [shown, rows.length > 0, table.state]);
  const move = (by: number) =>
    setCurrent((before) => Math.max(0, Math.min(rows.length - 1, before === undefined ? 0 : before + by)));
  const toggle = (key: string) => {
    const next = new Set(selected);
    if (!next.delete(key)) next.add(key);
    setSelected(next);
  };
  const currentRow = current === undefined ? undefined : rows[current];
  useShortcuts([
    { key: 'j', description: 'the next row', run: () => move(1) },
    { key: 'k', description: 'the row before', run: () => move(-1) },
    { key: 'Enter', description: 'open the row', run: () => currentRow !== undefined && open(kind, currentRow) },
    { key: 'x', description: 'select the row', run: () => currentRow !== undefined && toggle(keyOf(currentRow)) },
  ]);
  return (
    <>
      <Header title={kind.kind} note={<ListNote table={table} shown={rows.length} />}>
        {kind.namespaced && (
          <NamespaceSelect value={namespace} onChange={(chosen) => replaceQuery({ namespace: chosen })} />
        )}
        <input
          type="search"
          placeholder="Name"
          aria-label="Filter by name"
          value={filter}
          onInput={(event) => replaceQuery({ name: event.currentTarget.value })}
        />
        <input
          type="search"
          placeholder="Labels: app=web"
          aria-label="Label selector"
          value={labels}
          onChange={(event) => replaceQuery({ labels: event.currentTarget.value.trim() })}
        />
        <ColumnChoice kind={kind} columns={columns} shown={shown} />
        {kind.verbs.includes('create') && (
          <a class="button primary" href={linkTo.create(kind, namespace)}>
            Create
          </a>
        )}
      </Header>
      {isForbidden(table.error) && kind.namespaced && namespace === '' ? (
        <NotAllowed kind={kind} user={user} />
      ) : (
        table.error !== undefined && <Refusal error={table.error} />
      )}
      <SelectionBar kind={kind} selected={selected} onClear={() => setSelected(new Set())} />
      {shown.length > 0 && rows.length > 0 && (
        <WindowTable
          label={kind.kind}
          columns={[
            { name: 'Selected', width: '36px', header: <SelectAll {...{ rows, selected, setSelected }} /> },
            ...shown.map(
              (column, at) =>
                ({
                  ...{ name: column.name, width: `${widths[at] ?? 10}ch`, description: column.description },
                  header: <SortButton column={column.name} order={order} />,
                  sorted: order?.column !== column.name ? undefined : order.isDown ? 'descending' : 'ascending',
                }) as const,
            ),
          ]}
          rows={rows}
          rowHeight={rowHeight}
          minWidth={`${widths.reduce((sum, width) => sum + width, 6)}ch`}
          keyOf={keyOf}
          classOf={(row) => classOf(row, selected)}
          current={current}
        >
          {(row) => (
            <Cells {...{ kind, row, columns: shown }} isSelected={selected.has(keyOf(row))} onSelect={toggle} />
          )}
        </WindowTable>
      )}
      {table.state !== 'failed' && rows.length === 0 && <Nothing {...{ kind, namespace, table, filter, labels }} />}
      {table.state !== 'loading' && table.more > 0 && (
        <p class="quiet">
          {maxRows.toLocaleString()} objects are here, {table.more.toLocaleString()} more exist. A namespace, labels or
          the whole name find them.
        </p>
      )}
    </>
  );
}

const open = (kind: Kind, { object: { metadata } }: Row): void =>
  go(linkTo.object(kind, metadata.namespace ?? '', metadata.name));

const classOf = (row: Row, selected: ReadonlySet<string>): string =>
  [row.object.metadata.deletionTimestamp === undefined ? '' : 'leaving', selected.has(keyOf(row)) ? 'selected' : '']
    .filter((name) => name !== '')
    .join(' ');

const searchDelayMs = 250;

/** The rows of the table, and what the server has with exactly this name where the table does not have all objects. */
function useFound(path: string, name: string, query: string, table: LiveTable): readonly Row[] {
  const [more, setMore] = useState<readonly Row[]>([]);
  const isAsked = table.more > 0 && name.trim() !== '';
  useEffect(() => {
    setMore([]);
    if (!isAsked) return undefined;
    let isCurrent = true;
    const timer = setTimeout(() => {
      rowsNamed(path, name.trim(), query).then(
        (rows) => isCurrent && setMore(rows),
        // The list itself shows why nothing can be read.
        () => isCurrent && setMore([]),
      );
    }, searchDelayMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [path, name, query, isAsked]);
  return useMemo(() => {
    if (more.length === 0) return table.rows;
    const known = new Set(table.rows.map(keyOf));
    return [...table.rows, ...more.filter((row) => !known.has(keyOf(row)))];
  }, [table.rows, more]);
}

/** Those that the user has chosen for the kind, or those that the server shows at first. */
function useShownColumns({ group, resource }: Kind, columns: readonly ShownColumn[]): readonly ShownColumn[] {
  const chosen = usePreferences().columns[`${resource}.${group}`];
  return useMemo(
    () => columns.filter(({ name, priority }) => chosen?.includes(name) ?? priority === 0),
    [columns, chosen],
  );
}

interface ColumnChoiceProps {
  readonly kind: Kind;
  readonly columns: readonly ShownColumn[];
  readonly shown: readonly ShownColumn[];
}

function ColumnChoice({ kind: { group, resource }, columns, shown }: ColumnChoiceProps) {
  const { columns: chosen } = usePreferences();
  const names = shown.map(({ name }) => name);
  return (
    <details class="menu">
      <summary class="button">Columns</summary>
      <div class="menu-body">
        {columns.map(({ name, description, index }) => (
          <label key={name} class="switch" title={description}>
            <input
              type="checkbox"
              checked={names.includes(name)}
              // The name leads to the object.
              disabled={index === 0}
              onChange={() => prefer({ columns: { ...chosen, [`${resource}.${group}`]: toggled(names, name) } })}
            />
            {name}
          </label>
        ))}
      </div>
    </details>
  );
}

interface NothingProps {
  readonly kind: Kind;
  readonly namespace: string;
  readonly table: LiveTable;
  readonly filter: string;
  readonly labels: string;
}

/** Says that there is nothing to show: of a list that is still loading, or has more than its rows, only what is known. */
function Nothing({ kind: { kind }, namespace, table, filter, labels }: NothingProps) {
  const scope = `${namespace === '' ? '' : ` in ${namespace}`}${labels === '' ? '' : ` with ${labels}`}`;
  const isUnknown = table.state === 'loading' || table.more > 0;
  const text =
    filter === ''
      ? isUnknown
        ? 'Reading…'
        : `There is no ${kind}${scope}.`
      : isUnknown
        ? `None of the first ${table.rows.length.toLocaleString()} has a name with “${filter}”, and none on the server is named so.`
        : `No ${kind}${scope} has a name with “${filter}”.`;
  return <p class="empty">{text}</p>;
}

const states = { loading: 'loading', live: 'live', reconnecting: 'connecting again', failed: 'stopped' } as const;

function ListNote({ table, shown }: { readonly table: LiveTable; readonly shown: number }) {
  const all = table.rows.length + table.more;
  const count = shown === all ? all.toLocaleString() : `${shown.toLocaleString()} of ${all.toLocaleString()}`;
  return (
    <>
      <span class={`dot ${table.state}`} aria-hidden="true" />
      <span role="status">
        {states[table.state]}
        {all === 0 && table.state === 'loading' ? '' : ` · ${count}`}
      </span>
    </>
  );
}

function SortButton({ column, order }: { readonly column: string; readonly order: ReturnType<typeof orderOf> }) {
  const sign = order?.column !== column ? '' : order.isDown ? ' ↓' : ' ↑';
  return (
    <button type="button" class="plain" onClick={() => replaceQuery({ sort: nextOrder(order, column) })}>
      {column}
      <span aria-hidden="true">{sign}</span>
    </button>
  );
}

interface SelectAllProps {
  readonly rows: readonly Row[];
  readonly selected: ReadonlySet<string>;
  readonly setSelected: (selected: ReadonlySet<string>) => void;
}

function SelectAll({ rows, selected, setSelected }: SelectAllProps) {
  const isAll = rows.length > 0 && selected.size >= rows.length;
  return (
    <input
      type="checkbox"
      aria-label="Select all"
      checked={isAll}
      onChange={() => setSelected(new Set(isAll ? [] : rows.map(keyOf)))}
    />
  );
}

interface CellsProps {
  readonly kind: Kind;
  readonly row: Row;
  readonly columns: readonly ShownColumn[];
  readonly isSelected: boolean;
  readonly onSelect: (key: string) => void;
}

/** The cells of a row. That of the first column of the server links to the object. */
function Cells({ kind, row, columns, isSelected, onSelect }: CellsProps) {
  const { metadata } = row.object;
  const href = linkTo.object(kind, metadata.namespace ?? '', metadata.name);
  return (
    <>
      <td>
        <input
          type="checkbox"
          tabIndex={-1}
          aria-label={`Select ${metadata.name}`}
          checked={isSelected}
          onChange={() => onSelect(keyOf(row))}
        />
      </td>
      {columns.map((column) => {
        const text = cellText(column, row);
        return (
          <td key={column.name} title={text}>
            {column.index === 0 ? <a href={href}>{text}</a> : text}
          </td>
        );
      })}
    </>
  );
}
