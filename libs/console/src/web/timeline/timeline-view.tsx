import { useEffect, useMemo } from 'preact/hooks';
import type { Kind } from '../api/kinds.ts';
import { NamespaceSelect } from '../parts/namespace-select.tsx';
import { Header, Problem } from '../parts/parts.tsx';
import { timeText } from '../requests/requests-view.tsx';
import { replaceQuery } from '../shell/routes.ts';
import { useShortcuts } from '../shell/shortcuts.ts';
import { LiveNote } from '../workloads/workloads-view.tsx';
import { ChangeDetail } from './change-detail.tsx';
import { chosen } from './change-text.ts';
import type { Change } from './history.ts';
import { recorder, useHistory } from './recorder.ts';
import { TimelineTable } from './timeline-table.tsx';

interface Props {
  readonly kinds: readonly Kind[];
  /** `namespace`, `find`, `status`, `events`, `change`, `show`: the place can be shared. */
  readonly query: URLSearchParams;
}

/** What changed in a namespace, or in all. */
export function TimelineView({ kinds, query }: Props) {
  const namespace = query.get('namespace') ?? '';
  const { history, kinds: recorded } = recorder;
  const version = useHistory();
  const inScope = useMemo(
    () =>
      namespace === ''
        ? history.changes
        : history.changes.filter((change) => (change.report?.namespace ?? change.namespace) === namespace),
    [history.changes, version, namespace],
  );
  return (
    <>
      <Header title="Timeline" note={<LiveNote states={recorded.followed.map((kind) => recorder.stateOf(kind))} />}>
        <NamespaceSelect
          value={namespace}
          onChange={(value) => replaceQuery({ namespace: value, change: '', show: '' })}
        />
      </Header>
      <Timeline {...{ kinds, query, namespace, version }} changes={inScope} />
    </>
  );
}

interface TabProps extends Props {
  readonly kind: Kind;
  readonly namespace: string;
  readonly name: string;
}

/** What changed in an object. */
export function TimelineTab({ kinds, query, kind, namespace, name }: TabProps) {
  const version = useHistory();
  const { changes } = recorder.history;
  const ofObject = useMemo(
    () =>
      changes.filter((change) => {
        const isNamed = change.kind.resource === kind.resource && change.kind.group === kind.group;
        if (change.report === undefined) return isNamed && change.namespace === namespace && change.name === name;
        return change.report.kind === kind.kind && change.report.name === name;
      }),
    [changes, version, kind, namespace, name],
  );
  return <Timeline {...{ kinds, query, namespace, version, kind }} changes={ofObject} />;
}

interface TimelineProps extends Props {
  readonly namespace: string;
  /** The kind of the only object. */
  readonly kind?: Kind;
  readonly changes: readonly Change[];
  readonly version: number;
}

function Timeline({ kinds, query, namespace, kind, changes, version }: TimelineProps) {
  const [find, selected, show] = [query.get('find') ?? '', query.get('change') ?? '', query.get('show') ?? ''];
  const showsStatus = query.get('status') !== 'hidden';
  const showsEvents = query.get('events') !== 'hidden';
  useEffect(() => recorder.record(kinds, { namespace, kind }), [kinds, namespace, kind]);
  const shown = useMemo(
    () => chosen(changes, { find, showsStatus, showsEvents }, (change) => recorder.requestOf(change)),
    [changes, version, find, showsStatus, showsEvents],
  );
  const current = useMemo(() => changes.find(({ id }) => id === selected), [changes, selected]);
  const select = ({ id }: Change) => replaceQuery({ change: id });
  const move = (by: number) => {
    const at = shown.findIndex(({ id }) => id === selected);
    const next = shown[at < 0 ? 0 : Math.max(0, Math.min(shown.length - 1, at + by))];
    if (next !== undefined) select(next);
  };
  useShortcuts([
    { key: 'j', description: 'the next row: an older change', run: () => move(1) },
    { key: 'k', description: 'the row before: a newer change', run: () => move(-1) },
  ]);
  return (
    <>
      <div class="toolbar timeline-tools">
        <input
          type="search"
          placeholder="Name, field, user"
          aria-label="Filter changes"
          value={find}
          onInput={(event) => replaceQuery({ find: event.currentTarget.value })}
        />
        <label class="switch">
          <input
            type="checkbox"
            checked={showsStatus}
            onChange={() => replaceQuery({ status: showsStatus ? 'hidden' : '' })}
          />
          status
        </label>
        <label class="switch">
          <input
            type="checkbox"
            checked={showsEvents}
            onChange={() => replaceQuery({ events: showsEvents ? 'hidden' : '' })}
          />
          events
        </label>
        <Extent count={shown.length} />
      </div>
      <NotFollowed />
      {recorder.problem !== undefined && <Problem text={`Requests cannot be read: ${recorder.problem}`} />}
      {shown.length === 0 ? (
        <p class="empty">
          Nothing has changed yet. Changes appear here as they are made, with who made them and what followed.
        </p>
      ) : (
        <TimelineTable
          {...{ label: 'Changes', changes: shown, selected, withNamespace: namespace === '', maxHeight: 330 }}
          onSelect={select}
        />
      )}
      {selected !== '' && current === undefined && (
        <p class="note-box" role="status">
          The change {selected} is not in the history of this tab: it was made before, or has made room for newer ones.
        </p>
      )}
      {current !== undefined && (
        <ChangeDetail {...{ change: current, kinds, shown: show, version, onSelect: select }} />
      )}
    </>
  );
}

/** How much is known, and since when. */
function Extent({ count }: { readonly count: number }) {
  const { history, since } = recorder;
  const megabytes = (history.bytes / 1e6).toFixed(1);
  return (
    <span class="quiet" role="status">
      {count.toLocaleString()} changes
      {since === undefined ? '' : `. This tab follows since ${timeText(since).slice(0, 8)}, and has ${megabytes} MB`}
      {history.dropped > 0 && `; the oldest ${history.dropped.toLocaleString()} have made room`}
    </span>
  );
}

/** Says which kinds are not followed, and why. */
function NotFollowed() {
  const { followed, others } = recorder.kinds;
  const refused = followed.filter((kind) => recorder.stateOf(kind).state === 'refused');
  if (others.length + refused.length === 0) return null;
  return (
    <details class="quiet timeline-kinds">
      <summary>
        {followed.length - refused.length} kinds are followed, {others.length + refused.length} are not
      </summary>
      <p>
        Followed:{' '}
        {followed
          .filter((kind) => !refused.includes(kind))
          .map(({ kind }) => kind)
          .join(', ')}
        .{refused.length > 0 && ` You may not watch: ${refused.map(({ kind }) => kind).join(', ')}.`}
        {others.length > 0 &&
          ` Not followed, because they are written every few seconds, with others, or are too many: ${others.map(({ kind }) => kind).join(', ')}.`}
      </p>
    </details>
  );
}
