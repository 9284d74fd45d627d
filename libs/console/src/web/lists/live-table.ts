import { useEffect, useState } from 'preact/hooks';
import { ApiError, getJson, messageOf } from '../api/api.ts';
import { watch, type WatchEvent } from '../api/watch.ts';

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
  readonly namespace?: string;
  readonly uid?: string;
  readonly creationTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly deletionTimestamp?: string;
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
  /** Objects that the server has beyond the first page. */
  readonly more: number;
  readonly error?: string;
}

const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
/** Rows that are listed. A page with more of them helps nobody; a selector finds the others. */
export const pageSize = 500;
const retryMs = 2000;
const nothing: LiveTable = { columns: [], rows: [], state: 'loading', more: 0 };

const keyOf = ({ object: { metadata } }: Row): string => `${metadata.namespace ?? ''}/${metadata.name}`;

/** Follows the table of a list by a watch while the page is visible. A browser has few connections to one server, so hidden pages hold none. */
export function useLiveTable(path: string | undefined, query = ''): LiveTable {
  const [table, setTable] = useState(nothing);
  useEffect(() => {
    setTable(nothing);
    if (path === undefined) return undefined;
    let controller = new AbortController();
    const start = () => {
      controller.abort();
      controller = new AbortController();
      if (!document.hidden) void follow(path, query, setTable, controller.signal);
    };
    start();
    document.addEventListener('visibilitychange', start);
    return () => {
      document.removeEventListener('visibilitychange', start);
      controller.abort();
    };
  }, [path, query]);
  return table;
}

type Show = (table: LiveTable) => void;

/** Lists, watches, and begins again when the watch fails or is too old. */
async function follow(path: string, query: string, show: Show, signal: AbortSignal): Promise<void> {
  let last = nothing;
  while (!signal.aborted) {
    try {
      await listAndWatch(path, query, (table) => show((last = table)), signal);
    } catch (error) {
      if (signal.aborted) return;
      const isFinal = error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429;
      show({ ...last, state: isFinal && error.status !== 410 ? 'failed' : 'reconnecting', error: messageOf(error) });
      if (isFinal && error.status !== 410) return;
    }
    await new Promise((resolve) => setTimeout(resolve, retryMs));
  }
}

async function listAndWatch(path: string, query: string, show: Show, signal: AbortSignal): Promise<void> {
  const first = await getJson<Table>(`${path}?limit=${pageSize}${query}`, accept);
  if (signal.aborted) return;
  const columns = first.columnDefinitions ?? [];
  const rows = new Map((first.rows ?? []).map((row) => [keyOf(row), row]));
  const isWhole = (first.metadata?.continue ?? '') === '';
  const more = isWhole ? 0 : (first.metadata?.remainingItemCount ?? 1);
  let resourceVersion = first.metadata?.resourceVersion ?? '';
  const publish = (state: LiveTable['state']) => show({ columns, rows: [...rows.values()], state, more });
  publish('live');
  while (!signal.aborted) {
    const parameters = `watch=1&allowWatchBookmarks=true&resourceVersion=${resourceVersion}${query}`;
    for await (const events of watch<Table>(`${path}?${parameters}`, accept, signal)) {
      for (const event of events) {
        resourceVersion = versionOf(event) ?? resourceVersion;
        apply(rows, event, isWhole);
      }
      publish('live');
    }
  }
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
    // An object beyond the first page is not added: there would be gaps between the rows.
    else if (isWhole || rows.has(key) || type === 'ADDED') rows.set(key, row);
  }
}
