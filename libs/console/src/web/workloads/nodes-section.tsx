import { Badge } from '../parts/parts.tsx';
import { go, linkTo } from '../shell/routes.ts';
import { Gauge, PodSquares } from './drawings.tsx';
import { podsText, type NodeRow } from './overview.ts';
import { bytesText, coresText } from './quantity.ts';
import { Section, type SectionContext } from './section.tsx';
import { WindowTable } from '../parts/window-table.tsx';

const columns = [
  { name: 'Node', width: '18%' },
  { name: 'Status', width: '13%' },
  { name: 'Pods', width: '284px' },
  { name: 'CPU requests', width: '13%' },
  { name: 'Memory requests', width: '16%' },
  { name: 'Number', width: '11%' },
] as const;

interface Props extends SectionContext {
  readonly rows: readonly NodeRow[];
  /** How all pods are, in words. */
  readonly pods: string;
  /** The user sees the nodes themselves, not only where pods are. */
  readonly mayList: boolean;
  readonly namespace: string;
}

/** The nodes, the pods on each, and what these request of what is allocatable. */
export function NodesSection({ rows, pods, mayList, namespace, ...context }: Props) {
  const nodes = rows.filter(({ name }) => name !== '');
  const ready = nodes.filter(({ node }) => node?.mood === 'good').length;
  const known = mayList ? `${nodes.length} nodes, ${ready} ready` : `${nodes.length} nodes with pods`;
  const scope = namespace === '' ? '' : ` in ${namespace}`;
  return (
    <Section title="Nodes" note={`${known} · pods${scope}: ${pods}`}>
      {rows.length === 0 ? (
        <p class="empty">
          There is no Node. <code>apichain up --simulate</code> starts three without containers.
        </p>
      ) : (
        <WindowTable
          label="Nodes"
          columns={columns}
          rows={rows}
          rowHeight={58}
          maxHeight={366}
          keyOf={({ name }) => name}
        >
          {(row) => <Cells row={row} {...context} />}
        </WindowTable>
      )}
    </Section>
  );
}

function Cells({ row, kinds, hrefOf }: SectionContext & { readonly row: NodeRow }) {
  const { name, node, pods, used } = row;
  const open = (pod: { readonly namespace: string; readonly name: string }) => {
    if (kinds.pods !== undefined) go(linkTo.object(kinds.pods, pod.namespace, pod.name));
  };
  return (
    <>
      <td title={name}>
        {node === undefined || kinds.nodes === undefined ? (
          name || 'no node yet'
        ) : (
          <a href={linkTo.object(kinds.nodes, '', name)}>{name}</a>
        )}
        {node?.isSimulated === true && <span class="under">simulated</span>}
      </td>
      <td title={node?.problems.join(', ')}>
        {node !== undefined && <Badge kind={node.mood}>{node.status}</Badge>}
        {node !== undefined && node.problems.length > 0 && <span class="under">{node.problems.join(', ')}</span>}
      </td>
      <td>
        <PodSquares pods={pods} onOpen={open} />
        {name === '' ? (
          <span class="under">{podsText(pods)}</span>
        ) : (
          <a class="under" href={hrefOf({ node: name })} aria-label={`Pods of ${name}: ${podsText(pods)}`}>
            {podsText(pods)}
          </a>
        )}
      </td>
      <Usage used={used.cpu} of={node?.allocatable.cpu} say={coresText} />
      <Usage used={used.memory} of={node?.allocatable.memory} say={bytesText} />
      <Usage used={used.pods} of={node?.allocatable.pods} say={String} />
    </>
  );
}

interface UsageProps {
  readonly used: number;
  /** What is allocatable; undefined where the node is not seen. */
  readonly of: number | undefined;
  readonly say: (value: number) => string;
}

function Usage({ used, of, say }: UsageProps) {
  if (of === undefined) return <td>{say(used)}</td>;
  return (
    <td>
      {say(used)} of {say(of)}
      <Gauge parts={[{ value: used, kind: used > of ? 'bad' : 'used' }]} whole={of} />
    </td>
  );
}
