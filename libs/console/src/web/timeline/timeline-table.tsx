import { Badge, type Mood } from '../parts/parts.tsx';
import { WindowTable } from '../parts/window-table.tsx';
import { timeText } from '../requests/requests-view.tsx';
import { authorOf, labelOf, managersOf, summaryOf, timeOf } from './change-text.ts';
import type { Change } from './history.ts';
import { recorder } from './recorder.ts';

interface Props {
  readonly label: string;
  readonly changes: readonly Change[];
  /** The id of the change that is shown. */
  readonly selected: string;
  /** Whether objects have their namespaces. */
  readonly withNamespace: boolean;
  /** Pixels: a longer table scrolls. */
  readonly maxHeight: number;
  /** A time, in milliseconds since the epoch: times are told from it on. */
  readonly from?: number | undefined;
  readonly onSelect: (change: Change) => void;
}

const columnsOf = (isRelative: boolean) =>
  [
    { name: isRelative ? 'After' : 'Time', width: '128px' },
    { name: 'Object', width: '30%' },
    { name: 'Change', width: '92px' },
    { name: 'What', width: '42%' },
    { name: 'By', width: '28%' },
  ] as const;

/** Changes as rows. One of them can be selected. */
export function TimelineTable({ label, changes, selected, withNamespace, maxHeight, from, onSelect }: Props) {
  const at = changes.findIndex(({ id }) => id === selected);
  return (
    <WindowTable
      {...{ label, rows: changes, rowHeight: 33, maxHeight, columns: columnsOf(from !== undefined) }}
      keyOf={({ id }) => id}
      classOf={({ id }) => (id === selected ? 'selected' : undefined)}
      {...(at < 0 ? {} : { current: at, currentKey: selected })}
    >
      {(change) => <Cells {...{ change, withNamespace, from, onSelect }} isSelected={change.id === selected} />}
    </WindowTable>
  );
}

const moods: Readonly<Record<string, Mood>> = { added: 'good', deleted: 'bad', warning: 'warn' };

interface CellsProps extends Pick<Props, 'withNamespace' | 'from' | 'onSelect'> {
  readonly change: Change;
  readonly isSelected: boolean;
}

function Cells({ change, withNamespace, from, isSelected, onSelect }: CellsProps) {
  const request = recorder.requestOf(change);
  const time = timeOf(change, request);
  const author = authorOf(change, request);
  const managers = managersOf(change.writers);
  const name = nameOfChange(change, withNamespace);
  const label = labelOf(change);
  const summary = summaryOf(change);
  return (
    <>
      <td class="time" title={new Date(time).toLocaleString()}>
        {from === undefined ? timeText(time) : `+${((time - from) / 1000).toFixed(2)} s`}
      </td>
      <td title={name}>
        <button type="button" class="plain" aria-pressed={isSelected} onClick={() => onSelect(change)}>
          {name}
        </button>
      </td>
      <td>
        <Badge kind={moods[label] ?? 'plain'}>{label}</Badge>
      </td>
      <td title={summary}>{summary}</td>
      <td title={managers === '' ? author : `${author}, as ${managers}`}>{author}</td>
    </>
  );
}

/** `Deployment shop/web`: of an Event, the object that it is about. */
export function nameOfChange({ kind, namespace, name, report }: Change, withNamespace: boolean): string {
  const [of, scope, named] = [report?.kind ?? kind.kind, report?.namespace ?? namespace, report?.name ?? name];
  return withNamespace && scope !== '' ? `${of} ${scope}/${named}` : `${of} ${named}`;
}
