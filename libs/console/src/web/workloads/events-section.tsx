import { kindOf, type Kind } from '../api/kinds.ts';
import { Badge } from '../parts/parts.tsx';
import { age } from '../parts/units.ts';
import { linkTo } from '../shell/routes.ts';
import type { ShownEvent } from './event.ts';
import { nameIn, Section, type SectionContext } from './section.tsx';
import { WindowTable } from '../parts/window-table.tsx';

const columns = [
  { name: 'Last seen', width: '96px' },
  { name: 'Type', width: '92px' },
  { name: 'Reason', width: '17%' },
  { name: 'Object', width: '27%' },
  { name: 'Message', width: '29%' },
  { name: 'Count', width: '78px', isNumber: true },
] as const;

interface Props extends SectionContext {
  readonly events: readonly ShownEvent[];
  /** Every kind: an event may be about any of them. */
  readonly all: readonly Kind[];
}

/** What components reported, newest first. */
export function EventsSection({ events, all, ...context }: Props) {
  return (
    <Section title="Events" note={events.length === 0 ? '' : 'newest first'}>
      {events.length === 0 ? (
        <p class="empty">No component has reported anything.</p>
      ) : (
        <WindowTable
          {...{ label: 'Events', columns, rows: events, rowHeight: 33, maxHeight: 330 }}
          keyOf={({ key }) => key}
        >
          {(event) => <Cells event={event} all={all} {...context} />}
        </WindowTable>
      )}
    </Section>
  );
}

function Cells({
  event,
  all,
  withNamespace,
}: SectionContext & { readonly event: ShownEvent; readonly all: Props['all'] }) {
  const { time, type, reason, message, from, about, count } = event;
  const kind = kindOf(all, about.apiVersion, about.kind);
  const shown = `${about.kind} ${nameIn(about.namespace, about.name, withNamespace)}`;
  const scope = kind?.namespaced === true ? about.namespace : '';
  return (
    <>
      <td title={time}>{age(time)}</td>
      <td>
        <Badge kind={type === 'Warning' ? 'warn' : 'plain'}>{type}</Badge>
      </td>
      <td title={`${reason}, from ${from}`}>{reason}</td>
      <td title={shown}>
        {kind === undefined ? shown : <a href={linkTo.object(kind, scope, about.name, 'events')}>{shown}</a>}
      </td>
      <td title={message}>{message}</td>
      <td class="number">{count}</td>
    </>
  );
}
