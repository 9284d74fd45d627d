import { getJson } from '../api/api.ts';
import type { Kind } from '../api/kinds.ts';
import { Badge, Table, useLoaded } from '../parts/parts.tsx';
import { age } from '../parts/units.ts';
import { Refusal } from '../parts/refusal.tsx';

interface EventList {
  readonly items: readonly {
    readonly metadata: { readonly uid: string; readonly creationTimestamp?: string };
    readonly type?: string;
    readonly reason?: string;
    readonly message?: string;
    readonly count?: number;
    readonly lastTimestamp?: string | null;
    readonly eventTime?: string | null;
    readonly source?: { readonly component?: string };
    readonly reportingComponent?: string;
  }[];
}

const limit = 200;

/** What components reported about an object, newest first. */
export function EventsTab({ kind, namespace, name }: { kind: Kind; namespace: string; name: string }) {
  const scope = namespace === '' ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  const selector = encodeURIComponent(`involvedObject.kind=${kind.kind},involvedObject.name=${name}`);
  const path = `/api/v1${scope}/events?limit=${limit}&fieldSelector=${selector}`;
  const { value, error } = useLoaded(() => getJson<EventList>(path), [path]);
  if (error !== undefined) return <Refusal error={error} />;
  if (value === undefined) return <p class="quiet">Reading events…</p>;
  if (value.items.length === 0) return <p class="empty">No component has reported anything about it.</p>;
  const timeOf = (event: EventList['items'][number]) =>
    event.lastTimestamp ?? event.eventTime ?? event.metadata.creationTimestamp ?? '';
  return (
    <Table columns={['Last seen', 'Type', 'Reason', 'Message', 'From', 'Count']}>
      {[...value.items]
        .sort((a, b) => (timeOf(a) < timeOf(b) ? 1 : -1))
        .map((event) => (
          <tr key={event.metadata.uid}>
            <td title={timeOf(event)}>{age(timeOf(event))}</td>
            <td>
              <Badge kind={event.type === 'Warning' ? 'warn' : 'plain'}>{event.type ?? ''}</Badge>
            </td>
            <td>{event.reason}</td>
            <td class="wrap">{event.message}</td>
            <td>{event.source?.component ?? event.reportingComponent}</td>
            <td>{event.count ?? 1}</td>
          </tr>
        ))}
    </Table>
  );
}
