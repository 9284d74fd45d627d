import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { findKind, type Kind } from '../api/kinds.ts';
import { changesOf, diffLines } from '../object/diff.ts';
import { DiffView } from '../object/diff-view.tsx';
import { Highlighted } from '../parts/highlight.tsx';
import { Badge, Table } from '../parts/parts.tsx';
import { milliseconds } from '../parts/units.ts';
import { codeText, moodOf, timeText } from '../requests/requests-view.tsx';
import { linkTo, replaceQuery } from '../shell/routes.ts';
import { labelOf, managersOf, timeOf, yamlOf } from './change-text.ts';
import { followersOf } from './followers.ts';
import type { Change } from './history.ts';
import { recorder } from './recorder.ts';
import { nameOfChange, TimelineTable } from './timeline-table.tsx';

interface Props {
  readonly change: Change;
  readonly kinds: readonly Kind[];
  /** What is shown of it: `fields`, `then` or `now`. */
  readonly shown: string;
  /** Differs whenever the history has changed. */
  readonly version: number;
  readonly onSelect: (change: Change) => void;
}

const parts = [
  ['', 'What changed'],
  ['after', 'What followed'],
  ['then', 'As it was'],
  ['now', 'Difference to now'],
] as const;

/** A change: who made it, by which request, which fields, what followed, and the object as it was. */
export function ChangeDetail({ change, kinds, shown, version, onSelect }: Props) {
  const followers = useMemo(() => followersOf(recorder.history, change), [change, version]);
  const count = followers.changes.length;
  return (
    <section class="change" aria-label="Change">
      <div class="toolbar">
        <h2>{nameOfChange(change, true)}</h2>
        <Badge kind="plain">{labelOf(change)}</Badge>
      </div>
      <Facts change={change} kinds={kinds} />
      <div class="tabs" role="group" aria-label="Parts of the change">
        {parts.map(([id, title]) => (
          <button
            type="button"
            class="plain"
            key={id}
            aria-pressed={shown === id}
            onClick={() => replaceQuery({ show: id })}
          >
            {title}
            {id === 'after' ? ` (${count})` : ''}
          </button>
        ))}
      </div>
      {shown === 'then' ? (
        <AsItWas change={change} />
      ) : shown === 'now' ? (
        <SinceThen change={change} version={version} />
      ) : shown === 'after' ? (
        <Following {...{ change, followers, onSelect }} />
      ) : (
        <Fields change={change} />
      )}
    </section>
  );
}

function Facts({ change, kinds }: Pick<Props, 'change' | 'kinds'>) {
  const request = recorder.requestOf(change);
  const { kind, namespace, name, resourceVersion, writers, report } = change;
  const time = timeOf(change, request);
  const served = report === undefined ? kind : kinds.find((one) => one.kind === report.kind);
  const place = report === undefined ? { namespace, name } : report;
  return (
    <dl class="facts">
      <Fact name="When">
        {timeText(time)}, resourceVersion {resourceVersion}
      </Fact>
      <Fact name="Who">
        {request === undefined ? '' : request.user}
        {request !== undefined && writers.length > 0 ? ', as ' : ''}
        {managersOf(writers)}
        {request === undefined && writers.length === 0 ? 'managed fields do not tell' : ''}
      </Fact>
      <Fact name="Request">
        {request === undefined ? (
          whyNoRequest(change)
        ) : (
          <>
            <a href={linkTo.request(request.auditID)}>
              {request.method} {request.uri.split('?', 1)[0]}
            </a>{' '}
            <Badge kind={moodOf(request.code)}>{codeText(request.code)}</Badge> {milliseconds(request.milliseconds)},{' '}
            {request.userAgent}
          </>
        )}
      </Fact>
      {served !== undefined && findKind(kinds, served.group, served.resource) !== undefined && (
        <Fact name="See also">
          <span class="links">
            <a href={linkTo.object(served, served.namespaced ? place.namespace : '', place.name)}>the object</a>
            <a href={linkTo.object(served, served.namespaced ? place.namespace : '', place.name, 'timeline')}>
              its timeline
            </a>
          </span>
        </Fact>
      )}
    </dl>
  );
}

const whyNoRequest = ({ isFromList }: Change): string => {
  if (isFromList) return 'not known: nobody watched when it was made';
  if (!recorder.seesAllRequests) return 'not yours: you see your own requests';
  return 'none is recorded: controllers in the process of the server send none, and older ones are no longer kept';
};

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function Fields({ change: { type, fields, before, report } }: Pick<Props, 'change'>) {
  if (report !== undefined) return <p class="wrap-text">{report.message}</p>;
  if (type === 'added') return <p class="quiet">It was created: all its fields are new.</p>;
  if (type === 'deleted') return <p class="quiet">It was deleted. Its last state is below “As it was”.</p>;
  if (before === undefined)
    return <p class="quiet">Its state before is not known, so its fields cannot be compared.</p>;
  if (fields.length === 0) return <p class="quiet">Nothing but its resourceVersion and managed fields has changed.</p>;
  return (
    <Table columns={['Field', 'Before', 'After']}>
      {fields.map(({ field, before: old, after }) => (
        <tr key={field}>
          <td class="wrap">
            <code>{field}</code>
          </td>
          <td class="wrap">{old === undefined ? <span class="quiet">absent</span> : <code>{old}</code>}</td>
          <td class="wrap">{after === undefined ? <span class="quiet">removed</span> : <code>{after}</code>}</td>
        </tr>
      ))}
    </Table>
  );
}

interface FollowingProps extends Pick<Props, 'change' | 'onSelect'> {
  readonly followers: ReturnType<typeof followersOf>;
}

function Following({ change, followers: { changes, until }, onSelect }: FollowingProps) {
  const from = timeOf(change, recorder.requestOf(change));
  const end =
    until === undefined ? '' : ` Until it was changed again, ${timeText(timeOf(until, recorder.requestOf(until)))}.`;
  return (
    <>
      <p class="quiet">
        {changes.length === 0
          ? 'Neither its status nor anything that it owns has changed, and no event is about them.'
          : 'Its status, what it owns, as far as that goes, and events about these.'}
        {end}
      </p>
      {changes.length > 0 && (
        <TimelineTable
          {...{ label: 'What followed', changes, selected: '', withNamespace: false, maxHeight: 330, from, onSelect }}
        />
      )}
    </>
  );
}

function AsItWas({ change }: Pick<Props, 'change'>) {
  const text = useMemo(() => yamlOf(change.after), [change]);
  return (
    <>
      <p class="quiet">{change.type === 'deleted' ? 'Before it was deleted:' : 'After this change:'}</p>
      <pre class="log as-it-was" tabIndex={0} aria-label="As it was">
        <Highlighted text={text} />
      </pre>
    </>
  );
}

function SinceThen({ change, version }: Pick<Props, 'change' | 'version'>) {
  const now = recorder.history.stateOf(change);
  const lines = useMemo(
    () => (now === undefined ? [] : changesOf(diffLines(yamlOf(change.after), yamlOf(now)))),
    [change, now, version],
  );
  if (now === undefined) return <p class="quiet">It no longer exists.</p>;
  if (lines.length === 0) return <p class="quiet">It is the same now.</p>;
  return <DiffView lines={lines} />;
}
