import { useEffect, useState } from 'preact/hooks';
import { ApiError, getJson } from '../api/api.ts';
import { watch, type WatchEvent } from '../api/watch.ts';
import { pause, whileVisible } from '../api/while-visible.ts';
import { Frames } from '../parts/frames.ts';

/** https://kubernetes.io/docs/reference/using-api/api-concepts/#receiving-resources-as-tables */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  /** 0 = always shown. */
  readonly priority: number;
}

interface RowMetadata {
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly creationTimestamp?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly deletionTimestamp?: string | undefined;
}

export interface Row {
  readonly cells: readonly unknown[];
  readonly object: { readonly metadata: RowMetadata };
}

interface Table {
  readonly columnDefinitions?: readonly Column[];
  readonly metadata?: {
    readonly resourceVersion?: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly rows?: readonly Row[] | null;
}

export interface LiveTable {
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  readonly state: 'loading' | 'live' | 'reconnecting' | 'failed';
  /** Objects that the server has beyond these rows: while it is loading, those that are still to come. */
  readonly more: number;
  readonly error?: unknown;
}

const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
/** Rows of the first page, which is soon there, and of those that follow. */
const pageSizes = { first: 500, next: 2000 } as const;
/** Rows that a page holds. An object beyond them is found by its name or its labels, on the server. */
export const maxRows = 100_000;
const retryMs = 2000;
const nothing: LiveTable = { columns: [], rows: [], state: 'loading', more: 0 };

export const keyOf = ({ object: { metadata } }: Row): string => `${metadata.namespace ?? ''}/${metadata.name}`;

/** Lists in pages until all rows are there, and follows the list by a watch while the page is visible. */
export function useLiveTable(path: string, query = ''): LiveTable {
  const [table, setTable] = useState(nothing);
  useEffect(() => {
    setTable(nothing);
    return whileVisible((signal) => follow(path, query, setTable, signal));
  }, [path, query]);
  return table;
}

/** The rows of the objects with exactly this name, from the server. */
export async function rowsNamed(path: string, name: string, query: string): Promise<readonly Row[]> {
  const selector = encodeURIComponent(`metadata.name=${name}`);
  const { rows } = await getJson<Table>(`${path}?limit=${pageSizes.first}&fieldSelector=${selector}${query}`, accept);
  return rows ?? [];
}

type Show = (table: LiveTable) => void;

/** Lists, watches, and begins again when the watch fails or is too old. */
async function follow(path: string, query: string, show: Show, signal: AbortSignal): Promise<void> {
  let last = nothing;
  const publish: Show = (table) => {
    last = table;
    if (!signal.aborted) show(table);
  };
  while (!signal.aborted) {
    try {
      await listAndWatch(path, query, publish, signal);
    } catch (error) {
      if (signal.aborted) return;
      const code = error instanceof ApiError ? error.status : 0;
      const isFinal = code >= 400 && code < 500 && code !== 429 && code !== 410;
      publish({ ...last, state: isFinal ? 'failed' : 'reconnecting', error });
      if (isFinal) return;
    }
    await pause(retryMs, signal);
  }
}

async function listAndWatch(path: string, query: string, show: Show, signal: AbortSignal): Promise<void> {
  const rows = new Map<string, Row>();
  let columns: readonly Column[] = [];
  let more = 0;
  let state: LiveTable['state'] = 'loading';
  const publish = () => show({ columns, rows: [...rows.values()], state, more });
  let resourceVersion: string | undefined;
  let next: string | undefined = '';
  while (next !== undefined && rows.size < maxRows) {
    const size = next === '' ? pageSizes.first : pageSizes.next;
    const page: Table = await getJson<Table>(`${path}?limit=${size}${next}${query}`, accept, signal);
    if (columns.length === 0) columns = page.columnDefinitions ?? [];
    for (const row of page.rows ?? []) rows.set(keyOf(row), kept(row));
    resourceVersion ??= page.metadata?.resourceVersion ?? '';
    const token = page.metadata?.continue ?? '';
    next = token === '' ? undefined : `&continue=${encodeURIComponent(token)}`;
    more = next === undefined ? 0 : (page.metadata?.remainingItemCount ?? 1);
    publish();
  }
  state = 'live';
  publish();
  const isWhole = next === undefined;
  const frames = new Frames(publish);
  signal.addEventListener('abort', () => frames.stop(), { once: true });
  while (!signal.aborted) {
    const parameters = `watch=1&allowWatchBookmarks=true&resourceVersion=${resourceVersion ?? ''}${query}`;
    for await (const events of watch<Table>(`${path}?${parameters}`, accept, signal)) {
      for (const event of events) {
        resourceVersion = versionOf(event) ?? resourceVersion;
        apply(rows, event, isWhole);
      }
      frames.request();
    }
  }
}

/** What is kept of a row: managed fields and annotations of 100,000 objects would take a gigabyte. */
function kept({ cells, object: { metadata } }: Row): Row {
  const { name, namespace, creationTimestamp, labels, deletionTimestamp } = metadata;
  return { cells, object: { metadata: { name, namespace, creationTimestamp, labels, deletionTimestamp } } };
}

const versionOf = ({ object }: WatchEvent<Table>): string | undefined => {
  const ofRow = object.rows?.at(-1)?.object.metadata as { readonly resourceVersion?: string } | undefined;
  return ofRow?.resourceVersion ?? object.metadata?.resourceVersion;
};

function apply(rows: Map<string, Row>, { type, object }: WatchEvent<Table>, isWhole: boolean): void {
  if (type === 'ERROR') throw new ApiError(410, 'the watch is too old');
  if (type === 'BOOKMARK') return;
  for (const row of object.rows ?? []) {
    const key = keyOf(row);
    if (type === 'DELETED') rows.delete(key);
    // An object beyond the last row is not added: there would be gaps between the rows.
    else if (isWhole || rows.has(key) || type === 'ADDED') rows.set(key, kept(row));
  }
}
