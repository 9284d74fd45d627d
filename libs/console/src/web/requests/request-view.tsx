import { findKind, type Kind } from '../api/kinds.ts';
import { Badge, Header, Problem, useLoaded } from '../parts/parts.tsx';
import { milliseconds } from '../parts/units.ts';
import { Refusal } from '../parts/refusal.tsx';
import { RequestPath } from './request-path.tsx';
import { codeText, moodOf, timeText } from './requests-view.tsx';
import { pathOf } from './path-parts.ts';
import { readRequests, type RequestRecord } from './requests.ts';
import { linkTo } from '../shell/routes.ts';
import { recorder, useHistory } from '../timeline/recorder.ts';
import { nameOfChange } from '../timeline/timeline-table.tsx';

/** Changes of one request that are named. */
const maxChanges = 20;

interface RequestViewProps {
  readonly auditId: string;
  readonly kinds: readonly Kind[];
}

/** One request: the services that it passed, and when each part of the work was done. */
export function RequestView({ auditId, kinds }: RequestViewProps) {
  const { value, error } = useLoaded(async () => (await readRequests()).items, [auditId]);
  useHistory();
  const changes = recorder.changesOf(auditId);
  const [first] = changes;
  // The history of this tab has the requests of its changes longer than the server.
  const known = first === undefined ? undefined : recorder.requestOf(first);
  if (known === undefined && error !== undefined) return <Refusal error={error} />;
  if (known === undefined && value === undefined) return <p class="quiet">Reading the request…</p>;
  const record = known ?? value?.find(({ auditID }) => auditID === auditId);
  if (record === undefined)
    return (
      <Problem text="This request is no longer kept: newer ones have taken its place.">
        <a href={linkTo.requests()}>All requests</a>
      </Problem>
    );
  return (
    <>
      <Header title={`${record.verb} ${record.resource?.resource ?? record.uri}`} note={timeText(record.receivedAt)}>
        <a class="button" href={linkTo.requests()}>
          All requests
        </a>
      </Header>
      <dl class="facts">
        <Fact name="Response">
          <Badge kind={moodOf(record.code)}>{codeText(record.code)}</Badge> after {milliseconds(record.milliseconds)}
        </Fact>
        <Fact name="User">{record.user}</Fact>
        <Fact name="Client">{record.userAgent}</Fact>
        <Fact name="Audit id">
          <code>{record.auditID}</code>
        </Fact>
        <Fact name="Request">
          <code class="target">
            {record.method} {record.uri}
          </code>
        </Fact>
        <Follow record={record} kinds={kinds} />
        {changes.length > 0 && (
          <Fact name="Changed">
            <span class="links">
              {changes.slice(0, maxChanges).map((change) => (
                <a key={change.id} href={linkTo.timeline({ namespace: change.namespace, change: change.id })}>
                  {nameOfChange(change, true)}
                </a>
              ))}
            </span>
          </Fact>
        )}
      </dl>
      <h2>Path through the chain</h2>
      <RequestPath record={record} />
      <h2>Time</h2>
      <Waterfall record={record} />
    </>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: preact.ComponentChildren }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

/** Links to the object of the request, and for a refusal to the question why. */
function Follow({ record: { resource, code, verb, user }, kinds }: { record: RequestRecord; kinds: readonly Kind[] }) {
  if (resource === undefined) return null;
  const kind = findKind(kinds, resource.group, resource.resource);
  const { namespace, name } = resource;
  return (
    <Fact name="See also">
      <span class="links">
        {kind !== undefined && name !== '' && <a href={linkTo.object(kind, namespace, name)}>the object</a>}
        {kind !== undefined && <a href={linkTo.list(kind, namespace)}>its kind</a>}
        {code === 403 && (
          <a href={linkTo.access({ user, verb, group: resource.group, resource: resource.resource, namespace, name })}>
            why it was refused
          </a>
        )}
      </span>
    </Fact>
  );
}

/** Every service and part as a bar on one axis. */
function Waterfall({ record }: { readonly record: RequestRecord }) {
  const total = Math.max(record.milliseconds, 0.01);
  const bar = (start: number, length: number, stage: string) => (
    <svg class="bar" preserveAspectRatio="none" viewBox="0 0 100 10" aria-hidden="true">
      <line x1="0" x2="100" y1="5" y2="5" class="axis" />
      <rect
        class={`stage-${stage}`}
        x={Math.min(99.6, (start / total) * 100)}
        y="1"
        width={Math.max(0.4, Math.min(100, (length / total) * 100))}
        height="8"
        rx="0.3"
      />
    </svg>
  );
  return (
    <table class="waterfall">
      <thead>
        <tr>
          <th scope="col">Service and part</th>
          <th scope="col">
            <div class="scale">
              <span>0</span>
              <span>{milliseconds(total / 2)}</span>
              <span>{milliseconds(total)}</span>
            </div>
          </th>
          <th scope="col" class="number">
            From
          </th>
          <th scope="col" class="number">
            Took
          </th>
        </tr>
      </thead>
      {pathOf(record).map(({ service, start, milliseconds: took, parts }) => (
        <tbody key={service}>
          <tr class="service">
            <th scope="row">{service}</th>
            <td>{bar(start, took, 'service')}</td>
            <td class="number">{milliseconds(start)}</td>
            <td class="number">{milliseconds(took)}</td>
          </tr>
          {parts.map((part, at) => (
            <tr key={at}>
              <th scope="row" class="part">
                {part.title}
              </th>
              <td>{bar(part.start, part.milliseconds, part.stage)}</td>
              <td class="number">{milliseconds(part.start)}</td>
              <td class="number">{milliseconds(part.milliseconds)}</td>
            </tr>
          ))}
        </tbody>
      ))}
    </table>
  );
}
