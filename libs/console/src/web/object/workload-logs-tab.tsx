import { useEffect, useMemo, useState } from 'preact/hooks';
import { ApiError, messageOf, refusalOf } from '../api/api.ts';
import { findKind, pathOf, type Kind } from '../api/kinds.ts';
import { fields, type StoredObject } from '../api/stored-object.ts';
import { mostJoined, readLogs } from '../api/watch.ts';
import { pause, whileVisible } from '../api/while-visible.ts';
import { useLiveTable, type LiveTable } from '../lists/live-table.ts';
import { Frames } from '../parts/frames.ts';
import { Refusal } from '../parts/refusal.tsx';
import { nameOf } from '../shell/kind-groups.ts';
import { JoinedLog, type LogSource } from './joined-log.ts';
import { selectorText } from './label-selector.ts';
import { LogFilter, LogLines, LogNote, useFound } from './log-lines.tsx';
import { containersOf } from './logs-tab.tsx';

const workloads: ReadonlySet<string> = new Set([
  ...['deployments.apps', 'statefulsets.apps', 'daemonsets.apps', 'replicasets.apps', 'jobs.batch'],
]);

/** The kind of pods, if an object of this kind has pods whose logs can be read. */
export function podsOf(kind: Kind, kinds: readonly Kind[]): Kind | undefined {
  const pods = workloads.has(nameOf(kind)) ? findKind(kinds, '', 'pods') : undefined;
  return pods?.subresources.includes('log') === true ? pods : undefined;
}

interface Props {
  readonly pods: Kind;
  /** A Deployment, or another object that has pods by a selector. */
  readonly workload: StoredObject;
}

const all = '';

/** The logs of all pods of a workload together, followed: also those of pods that are added. */
export function WorkloadLogsTab({ pods, workload }: Props) {
  const { namespace = '' } = workload.metadata;
  const containers = containersOf({ ...workload, spec: fields(fields(workload.spec?.['template'])['spec']) });
  const [container, setContainer] = useState(containers.length === 1 ? (containers[0] ?? all) : all);
  const [filter, setFilter] = useState('');
  const path = pathOf(pods, namespace);
  const table = useLiveTable(path, `&labelSelector=${encodeURIComponent(selectorText(workload.spec?.['selector']))}`);
  const chosen = container === all ? containers : [container];
  const { sources, key, more } = sourcesOf(table, chosen);
  const { log, isEnded, error, refusals } = useJoinedLog(path, sources, key, chosen.join());
  const shown = useFound(log, filter);
  const problem = table.error ?? error;
  return (
    <section aria-label="Log">
      <div class="toolbar">
        <label>
          Container{' '}
          <select value={container} onChange={(event) => setContainer(event.currentTarget.value)}>
            {containers.length > 1 && <option value={all}>All containers</option>}
            {containers.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        <LogFilter value={filter} onChange={setFilter} />
        <span class="quiet">{table.rows.length} pods</span>
        <LogNote lines={shown.length} isEnded={isEnded} />
      </div>
      {problem !== undefined && <Refusal error={problem} />}
      {more > 0 && (
        <p class="note-box">
          {more} more logs are not read: one connection has {mostJoined}. Choose a container, or open a pod.
        </p>
      )}
      {refusals.length > 0 && (
        <details class="quiet">
          <summary>{refusals.length} without a log</summary>
          <ul>
            {refusals.map((refusal) => (
              <li key={refusal}>{refusal}</li>
            ))}
          </ul>
        </details>
      )}
      <LogLines lines={shown} />
    </section>
  );
}

/** The logs of pods, and a text that differs when they must be read again: a pod was added, or may have a log now. */
function sourcesOf({ rows, columns }: LiveTable, containers: readonly string[]) {
  const status = columns.findIndex(({ name }) => name === 'Status');
  const found = rows.flatMap(({ object }) => containers.map((container) => ({ pod: object.metadata.name, container })));
  const states = rows.map(({ object, cells }) => `${object.metadata.name} ${String(cells[status])}`);
  return {
    sources: found.slice(0, mostJoined),
    key: [...states, ...containers].join('\n'),
    more: Math.max(0, found.length - mostJoined),
  };
}

interface Log {
  readonly log: readonly string[];
  readonly isEnded: boolean;
  readonly error?: unknown;
  /** Why containers have no log. */
  readonly refusals: readonly string[];
}

const retryMs = 2000;

/** Reads the logs again when `key` changes, from where they were; and from the beginning when `chosen` does. */
function useJoinedLog(path: string, sources: readonly LogSource[], key: string, chosen: string): Log {
  const [state, setState] = useState<Log>({ log: [], isEnded: false, refusals: [] });
  const log = useMemo(() => new JoinedLog(), [path, chosen]);
  useEffect(() => {
    setState({ log: log.lines, isEnded: false, refusals: [] });
    if (sources.length === 0) return undefined;
    return whileVisible(async (signal) => {
      for (let isWhole = false; !isWhole && !signal.aborted;) {
        try {
          await read(path, sources, log, setState, signal);
          isWhole = true;
        } catch (error) {
          if (!signal.aborted) setState({ log: log.lines, isEnded: true, refusals: [], error });
          await pause(retryMs, signal);
        }
      }
    });
  }, [path, key, chosen]);
  return state;
}

/** Reads until all logs have ended. */
async function read(
  path: string,
  sources: readonly LogSource[],
  log: JoinedLog,
  show: (log: Log) => void,
  signal: AbortSignal,
): Promise<void> {
  const isMany = new Set(sources.map(({ container }) => container)).size > 1;
  const refusals: string[] = [];
  let open = sources.length;
  const publish = () => show({ log: log.lines, isEnded: open === 0, refusals: [...refusals] });
  const frames = new Frames(publish);
  const paths = sources.map((source) => `${path}/${encodeURIComponent(source.pod)}/log?${log.begin(source)}`);
  try {
    for await (const events of readLogs(paths, signal)) {
      for (const { watch, event, end } of events) {
        const source = sources[watch];
        if (source === undefined) continue;
        const name = isMany ? `${source.pod}/${source.container}` : source.pod;
        if (end === undefined) log.take(source, event, name);
        else {
          open--;
          if (end.code === badGateway) throw new ApiError(end.code, end.message ?? '');
          if (end.code !== ok) refusals.push(`${name}: ${messageOf(refusalOf(end.code, end.message ?? ''))}`);
        }
      }
      frames.request();
    }
  } finally {
    frames.stop();
  }
  if (!signal.aborted) publish();
}

const ok = 200;
/** The connection of one of the logs broke. */
const badGateway = 502;
