import { useMemo, useState } from 'preact/hooks';
import { pathOf, type Kind } from '../api/kinds.ts';
import { pageSize, useLiveTable, type Column, type LiveTable, type Row } from './live-table.ts';
import { NamespaceSelect } from '../parts/namespace-select.tsx';
import { age, Header, Problem, Table } from '../parts/parts.tsx';
import { go, linkTo } from '../shell/routes.ts';

/** The objects of a kind, with the columns that the server gives them, followed by a watch. */
export function ListView({ kind, namespace }: { readonly kind: Kind; readonly namespace: string }) {
  const [filter, setFilter] = useState('');
  const [selector, setSelector] = useState('');
  const [wide, setWide] = useState(false);
  const query = selector === '' ? '' : `&labelSelector=${encodeURIComponent(selector)}`;
  const table = useLiveTable(pathOf(kind, namespace), query);
  const isOfAll = kind.namespaced && namespace === '';
  const rows = useMemo(() => shownRows(table.rows, filter), [table.rows, filter]);
  return (
    <>
      <Header title={kind.kind} note={<ListNote table={table} shown={rows.length} />}>
        {kind.namespaced && <NamespaceSelect value={namespace} onChange={(chosen) => go(linkTo.list(kind, chosen))} />}
        <input
          type="search"
          placeholder="Filter by name"
          aria-label="Filter by name"
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
        <input
          type="search"
          placeholder="Labels: app=web"
          aria-label="Label selector"
          onChange={(event) => setSelector(event.currentTarget.value.trim())}
        />
        <label class="switch">
          <input type="checkbox" checked={wide} onChange={() => setWide(!wide)} />
          All columns
        </label>
        {kind.verbs.includes('create') && (
          <a class="button primary" href={linkTo.create(kind, namespace)}>
            Create
          </a>
        )}
      </Header>
      {table.error !== undefined && <Problem text={table.error} />}
      <TableOfRows {...{ kind, rows, wide, withNamespace: isOfAll, columns: table.columns }} />
      {table.state === 'live' && rows.length === 0 && <p class="empty">{emptyText(kind, namespace, table, filter)}</p>}
      {table.more > 0 && (
        <p class="quiet">
          The first {pageSize} objects are shown, {table.more} more exist. A namespace or a label selector finds them.
        </p>
      )}
    </>
  );
}

function emptyText({ kind }: Kind, namespace: string, table: LiveTable, filter: string): string {
  if (filter !== '' && table.rows.length > 0) return `No ${kind} has a name with “${filter}”.`;
  return namespace === '' ? `There is no ${kind}.` : `There is no ${kind} in ${namespace}.`;
}

const states = { loading: 'loading', live: 'live', reconnecting: 'connecting again', failed: 'stopped' } as const;

function ListNote({ table, shown }: { readonly table: LiveTable; readonly shown: number }) {
  return (
    <>
      <span class={`dot ${table.state}`} aria-hidden="true" />
      <span role="status">
        {states[table.state]}
        {table.state === 'loading'
          ? ''
          : ` · ${shown === table.rows.length ? shown : `${shown} of ${table.rows.length}`}`}
      </span>
    </>
  );
}

function shownRows(rows: readonly Row[], filter: string): readonly Row[] {
  const text = filter.trim().toLowerCase();
  const found =
    text === '' ? [...rows] : rows.filter(({ object }) => object.metadata.name.toLowerCase().includes(text));
  return found.sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
}

const sortKey = ({ object: { metadata } }: Row): string => `${metadata.namespace ?? ''}\n${metadata.name}`;

interface TableOfRowsProps {
  readonly kind: Kind;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  readonly wide: boolean;
  readonly withNamespace: boolean;
}

/** A server's table. The first column links to the object. */
function TableOfRows({ kind, columns, rows, wide, withNamespace }: TableOfRowsProps) {
  const shown = columns.map((column, index) => ({ ...column, index })).filter(({ priority }) => wide || priority === 0);
  if (columns.length === 0) return null;
  return (
    <Table columns={[...(withNamespace ? ['Namespace'] : []), ...shown]}>
      {rows.map((row) => {
        const { metadata } = row.object;
        const href = linkTo.object(kind, metadata.namespace ?? '', metadata.name);
        return (
          <tr key={sortKey(row)} class={metadata.deletionTimestamp === undefined ? undefined : 'leaving'}>
            {withNamespace && <td>{metadata.namespace}</td>}
            {shown.map(({ name, index }, position) => {
              const text = cellText(name, row.cells[index], metadata.creationTimestamp);
              return (
                <td key={name} title={text.length > 40 ? text : undefined}>
                  {position === 0 ? <a href={href}>{text}</a> : text}
                </td>
              );
            })}
          </tr>
        );
      })}
    </Table>
  );
}

/** Ages are counted here: those of the server are as old as the row. */
function cellText(column: string, cell: unknown, created: string | undefined): string {
  if (column === 'Age' && created !== undefined) return age(created);
  if (cell === null || cell === undefined) return '';
  return typeof cell === 'string' ? cell : JSON.stringify(cell);
}
