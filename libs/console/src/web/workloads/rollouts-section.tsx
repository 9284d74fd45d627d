import { Badge } from '../parts/parts.tsx';
import { age } from '../parts/units.ts';
import { linkTo } from '../shell/routes.ts';
import { Gauge } from './drawings.tsx';
import type { WorkloadRow } from './overview.ts';
import { nameIn, Section, type SectionContext } from './section.tsx';
import { WindowTable } from '../parts/window-table.tsx';
import type { ShownCondition, Workload } from './workload.ts';

const columns = [
  { name: 'Workload', width: '20%' },
  { name: 'Ready', width: '19%' },
  { name: 'Rollout', width: '22%' },
  { name: 'Revisions', width: '15%' },
  { name: 'Conditions', width: '17%' },
  { name: 'Age', width: '62px' },
] as const;

interface Props extends SectionContext {
  readonly rows: readonly WorkloadRow[];
}

/** Objects that own pods, and how far their rollouts are. */
export function RolloutsSection({ rows, ...context }: Props) {
  const busy = rows.filter(({ workload }) => workload.rollout.mood !== 'good').length;
  return (
    <Section title="Rollouts" note={rows.length === 0 ? '' : `${rows.length} workloads, ${busy} not complete`}>
      {rows.length === 0 ? (
        <p class="empty">There is no Deployment, StatefulSet, DaemonSet, Job or ReplicaSet.</p>
      ) : (
        <WindowTable
          label="Rollouts"
          columns={columns}
          rows={rows}
          rowHeight={52}
          maxHeight={344}
          keyOf={({ id }) => id}
        >
          {(row) => <Cells row={row} {...context} />}
        </WindowTable>
      )}
    </Section>
  );
}

function Cells({ row, kinds, withNamespace, hrefOf }: SectionContext & { readonly row: WorkloadRow }) {
  const { workload, revisions, resource, id } = row;
  const { kind, namespace, name, rollout } = workload;
  const served = kinds[resource];
  const shown = nameIn(namespace, name, withNamespace);
  return (
    <>
      <td title={`${namespace}/${name}`}>
        {served === undefined ? shown : <a href={linkTo.object(served, namespace, name)}>{shown}</a>}
        <span class="under">{kind}</span>
      </td>
      <td>
        <a href={hrefOf({ workload: id })} aria-label={`Pods of ${kind} ${name}, ${progressOf(workload)}`}>
          {progressOf(workload)}
        </a>
        <Gauge parts={partsOf(workload, revisions)} whole={Math.max(workload.desired, workload.current)} />
        <span class="under">{detailOf(workload)}</span>
      </td>
      <td title={rollout.text}>
        <Badge kind={rollout.mood}>{rollout.text}</Badge>
      </td>
      <td>
        <Revisions workload={workload} revisions={revisions} />
      </td>
      <td class="conditions">
        {workload.conditions.map((condition) => (
          <ConditionBadge key={condition.type} condition={condition} />
        ))}
      </td>
      <td>{age(workload.created)}</td>
    </>
  );
}

/** `2/2`: what is ready of what is wanted; of a Job what has completed. */
const progressOf = ({ kind, ready, available, desired }: Workload): string =>
  `${kind === 'Job' ? available : ready}/${desired}`;

const detailOf = ({ kind, updated, available, current }: Workload): string =>
  kind === 'Job' ? `${current} active` : `${updated} updated, ${available} available`;

/** Available pods of the new revision, its other pods, and those of old revisions. Without ReplicaSets, old pods count as available first. */
function partsOf({ available, updated, current }: Workload, [newest]: readonly Workload[]) {
  const old = Math.max(0, current - updated);
  const done = Math.min(updated, newest?.available ?? Math.max(0, available - old));
  return [
    { value: done, kind: 'good' },
    { value: updated - done, kind: 'warn' },
    { value: old, kind: 'plain' },
  ] as const;
}

/** Of a Deployment its ReplicaSets that have pods, newest first; of another kind the name of the newest revision. */
function Revisions({ workload, revisions }: { readonly workload: Workload; readonly revisions: readonly Workload[] }) {
  if (workload.kind !== 'Deployment')
    return workload.revision === '' ? null : <span title={workload.revision}>{workload.revision}</span>;
  const used = revisions.filter(({ current, desired }, at) => at === 0 || current > 0 || desired > 0);
  const said = used.map(({ revision, ready, desired }) => `${revision}: ${ready}/${desired}`).join(', ');
  const names = revisions.map(({ revision, name, ready, desired }) => `${revision}: ${name} ${ready}/${desired}`);
  const older = revisions.length - used.length;
  return (
    <span title={names.join('\n')}>
      {said}
      {older > 0 && <span class="under">{older} without pods</span>}
    </span>
  );
}

function ConditionBadge({
  condition: { type, status, reason, message, mood },
}: {
  readonly condition: ShownCondition;
}) {
  return (
    <span class="condition" title={`${type}: ${status} ${reason}\n${message}`}>
      <Badge kind={mood}>{mood === 'good' ? type : `${type}: ${status}`}</Badge>
    </span>
  );
}
