import { Badge } from '../parts/parts.tsx';
import { age } from '../parts/units.ts';
import { linkTo } from '../shell/routes.ts';
import type { Pod } from './pod.ts';
import { nameIn, Section, type SectionContext } from './section.tsx';
import { WindowTable } from '../parts/window-table.tsx';

const columns = [
  { name: 'Pod', width: '38%' },
  { name: 'Ready', width: '64px' },
  { name: 'Status', width: '22%' },
  { name: 'Restarts', width: '90px', isNumber: true },
  { name: 'Node', width: '20%' },
  { name: 'Age', width: '64px' },
] as const;

interface Props extends SectionContext {
  readonly pods: readonly Pod[];
  /** The chosen node or workload; empty = none. */
  readonly of: string;
}

/** The pods in words: all of them, or those of a node or a workload. */
export function PodsSection({ pods, of, ...context }: Props) {
  const note =
    of === '' ? (
      `${pods.length}`
    ) : (
      <>
        {pods.length} of {of} · <a href={context.hrefOf({})}>show all</a>
      </>
    );
  return (
    <Section title="Pods" note={note}>
      {pods.length === 0 ? (
        <p class="empty">There is no pod{of === '' ? '' : ` of ${of}`}.</p>
      ) : (
        <WindowTable
          {...{ label: 'Pods', columns, rows: pods, rowHeight: 33, maxHeight: 330 }}
          keyOf={({ namespace, name }) => `${namespace}/${name}`}
        >
          {(pod) => <Cells pod={pod} {...context} />}
        </WindowTable>
      )}
    </Section>
  );
}

function Cells({ pod, kinds, withNamespace }: SectionContext & { readonly pod: Pod }) {
  const { namespace, name, readyContainers, containers, status, mood, restarts, node, created } = pod;
  const shown = nameIn(namespace, name, withNamespace);
  return (
    <>
      <td title={`${namespace}/${name}`}>
        {kinds.pods === undefined ? shown : <a href={linkTo.object(kinds.pods, namespace, name)}>{shown}</a>}
      </td>
      <td>
        {readyContainers}/{containers}
      </td>
      <td title={status}>
        <Badge kind={mood}>{status}</Badge>
      </td>
      <td class="number">{restarts}</td>
      <td title={node}>{node}</td>
      <td>{age(created)}</td>
    </>
  );
}
