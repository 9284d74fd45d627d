import { useEffect, useState } from 'preact/hooks';
import { Badge, Header, Table, type Mood } from '../parts/parts.tsx';
import { milliseconds } from '../parts/units.ts';
import { Refusal } from '../parts/refusal.tsx';
import { consoleAgent, readRequests, type RequestList, type RequestRecord } from './requests.ts';
import { go, linkTo } from '../shell/routes.ts';

const pollMs = 2000;

/** The last requests of the chain, newest first. */
export function RequestsView() {
  const [list, setList] = useState<RequestList>();
  const [problem, setProblem] = useState<unknown>();
  const [filter, setFilter] = useState('');
  const [showsSystem, setShowsSystem] = useState(false);
  const [showsOwn, setShowsOwn] = useState(false);
  const [isPaused, setPaused] = useState(false);
  useEffect(() => {
    const load = () => {
      if (document.hidden) return;
      readRequests().then((loaded) => {
        setList(loaded);
        setProblem(undefined);
      }, setProblem);
    };
    load();
    if (isPaused) return undefined;
    const timer = setInterval(load, pollMs);
    return () => clearInterval(timer);
  }, [isPaused]);
  const isAll = list?.isAll !== false;
  const rows = (list?.items ?? []).filter(
    (record) =>
      (showsSystem || !isAll || !record.user.startsWith('system:')) &&
      (showsOwn || record.userAgent !== consoleAgent) &&
      isFound(record, filter.trim().toLowerCase()),
  );
  return (
    <>
      <Header title="Requests" note={isAll ? 'of all users' : 'your own'}>
        <input
          type="search"
          placeholder="Path, user, verb, code"
          aria-label="Filter requests"
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
        {isAll && (
          <label class="switch">
            <input type="checkbox" checked={showsSystem} onChange={() => setShowsSystem(!showsSystem)} />
            of system users
          </label>
        )}
        <label class="switch">
          <input type="checkbox" checked={showsOwn} onChange={() => setShowsOwn(!showsOwn)} />
          of the console
        </label>
        <button type="button" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
          {isPaused ? 'Continue' : 'Pause'}
        </button>
      </Header>
      {problem !== undefined && <Refusal error={problem} />}
      <Table columns={['Time', 'Code', 'Verb', 'Path', 'User', 'Served by', { name: 'Took', isNumber: true }]}>
        {rows.map((record) => (
          <RequestRow key={record.auditID} record={record} />
        ))}
      </Table>
      {list !== undefined && rows.length === 0 && (
        <p class="empty">No request yet. Each finished request appears here with its way through the services.</p>
      )}
    </>
  );
}

function RequestRow({ record }: { readonly record: RequestRecord }) {
  const href = linkTo.request(record.auditID);
  return (
    <tr class="linked" onClick={() => go(href)}>
      <td class="time">{timeText(record.receivedAt)}</td>
      <td>
        <Badge kind={moodOf(record.code)}>{codeText(record.code)}</Badge>
      </td>
      <td>{record.verb}</td>
      <td class="path" title={record.uri}>
        <a href={href}>{record.uri.split('?', 1)[0]}</a>
      </td>
      <td title={record.userAgent}>{record.user}</td>
      <td>{record.answeredBy}</td>
      <td class="number">{milliseconds(record.milliseconds)}</td>
    </tr>
  );
}

const isFound = ({ uri, user, verb, code }: RequestRecord, text: string): boolean =>
  text === '' || [uri, user, verb, String(code)].some((value) => value.toLowerCase().includes(text));

export const timeText = (at: number): string => {
  const time = new Date(at);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}.${String(time.getMilliseconds()).padStart(3, '0')}`;
};

export const codeText = (code: number): string => (code === 0 ? 'gone' : String(code));

export function moodOf(code: number): Mood {
  if (code >= 500) return 'bad';
  if (code >= 400 || code === 0) return 'warn';
  return code >= 300 ? 'plain' : 'good';
}
