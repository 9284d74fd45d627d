import { useEffect, useState } from 'preact/hooks';
import { request } from '../api/api.ts';
import { pathOf, type Kind } from '../api/kinds.ts';
import { textsOf } from '../api/watch.ts';
import { pause, whileVisible } from '../api/while-visible.ts';
import { Frames } from '../parts/frames.ts';
import { Refusal } from '../parts/refusal.tsx';
import { fields, list, text, type StoredObject } from '../api/stored-object.ts';
import { LogFilter, LogLines, LogNote, useFound } from './log-lines.tsx';

interface Props {
  readonly kind: Kind;
  readonly pod: StoredObject;
}

/** Lines that are asked for at first, and that are kept. */
const lines = { first: 1000, kept: 5000 } as const;
const retryMs = 2000;

/** The log of a container, followed while it is shown. */
export function LogsTab({ kind, pod }: Props) {
  const { namespace = '', name } = pod.metadata;
  const containers = containersOf(pod);
  const [container, setContainer] = useState(containers[0] ?? '');
  const [isPrevious, setPrevious] = useState(false);
  const [filter, setFilter] = useState('');
  const { log, error, isEnded } = useLog(`${pathOf(kind, namespace, name)}/log`, container, isPrevious);
  const shown = useFound(log, filter);
  return (
    <section aria-label="Log">
      <div class="toolbar">
        <label>
          Container{' '}
          <select value={container} onChange={(event) => setContainer(event.currentTarget.value)}>
            {containers.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        <label class="switch">
          <input type="checkbox" checked={isPrevious} onChange={() => setPrevious(!isPrevious)} />
          before its last restart
        </label>
        <LogFilter value={filter} onChange={setFilter} />
        <LogNote lines={shown.length} isEnded={isEnded} />
      </div>
      {error !== undefined && <Refusal error={error} />}
      <LogLines lines={shown} />
    </section>
  );
}

/** The names of the containers of a pod, those that run at first. */
export const containersOf = ({ spec }: StoredObject): readonly string[] =>
  ['containers', 'initContainers', 'ephemeralContainers'].flatMap((field) =>
    list(fields(spec)[field]).map(({ name }) => text(name)),
  );

interface Log {
  readonly log: readonly string[];
  readonly isEnded: boolean;
  readonly error?: unknown;
}

function useLog(path: string, container: string, isPrevious: boolean): Log {
  const [state, setState] = useState<Log>({ log: [], isEnded: false });
  const which: Readonly<Record<string, string>> = isPrevious ? { previous: 'true' } : { follow: 'true' };
  const query = new URLSearchParams({ container, tailLines: String(lines.first), ...which }).toString();
  useEffect(() => whileVisible((signal) => follow(path, query, setState, signal)), [path, query]);
  return state;
}

type Show = (log: Log) => void;

/** Reads until the log ends. A container that has not started yet refuses, and is asked again. */
async function follow(path: string, query: string, show: Show, signal: AbortSignal): Promise<void> {
  show({ log: [], isEnded: false });
  for (let hasEnded = false; !hasEnded && !signal.aborted;) {
    try {
      await read(path, query, show, signal);
      hasEnded = true;
    } catch (error) {
      if (!signal.aborted) show({ log: [], isEnded: true, error });
      await pause(retryMs, signal);
    }
  }
}

async function read(path: string, query: string, show: Show, signal: AbortSignal): Promise<void> {
  let log: string[] = [];
  let rest = '';
  const publish = (isEnded: boolean) => show({ log: rest === '' ? log : [...log, rest], isEnded });
  const frames = new Frames(() => publish(false));
  try {
    for await (const part of textsOf(await request(`${path}?${query}`, { signal }), signal)) {
      const parts = (rest + part).split('\n');
      rest = parts.pop() ?? '';
      log = [...log, ...parts].slice(-lines.kept);
      frames.request();
    }
  } finally {
    frames.stop();
  }
  if (!signal.aborted) publish(true);
}
