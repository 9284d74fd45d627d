import type { Kind } from '../api/kinds.ts';
import { useLoaded } from '../parts/parts.tsx';
import { Refusal } from '../parts/refusal.tsx';
import { relationsOf, type Related, type Relations } from './relations.ts';
import { linkTo } from '../shell/routes.ts';

interface Props {
  readonly kind: Kind;
  readonly kinds: readonly Kind[];
  readonly namespace: string;
  readonly name: string;
}

/** Owners on the left, the object, and on the right what it owns and what it names. */
export function RelationsTab({ kind, kinds, namespace, name }: Props) {
  const { value, error } = useLoaded(() => relationsOf(kind, kinds, namespace, name), [kind.resource, namespace, name]);
  if (error !== undefined) return <Refusal error={error} />;
  if (value === undefined)
    return <p class="quiet">Searching the kinds of {namespace === '' ? 'the cluster' : namespace}…</p>;
  const { owners, owned, references, problems } = value;
  return (
    <>
      {owners.length + owned.length + references.length === 0 ? (
        <p class="empty">It has no owner, owns nothing, and names no other object.</p>
      ) : (
        <Graph self={{ kind: kind.kind, name }} relations={value} />
      )}
      {problems.length > 0 && (
        <details class="quiet">
          <summary>{problems.length} kinds could not be searched</summary>
          <ul>
            {problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

const node = { width: 270, height: 46, gap: 14 };
const columnGap = 110;
const margin = 24;

interface Placed {
  readonly item: Related;
  readonly x: number;
  readonly y: number;
}

interface Drawing {
  readonly nodes: readonly Placed[];
  readonly self: { readonly x: number; readonly y: number };
  readonly width: number;
  readonly height: number;
}

/** Three columns, each centred. A column without nodes takes no room. */
function place({ owners, owned, references }: Relations): Drawing {
  const right = [...owned, ...references];
  const rows = Math.max(owners.length, right.length, 1);
  const step = node.height + node.gap;
  const height = rows * step + 2 * margin;
  const selfX = owners.length === 0 ? 0 : node.width + columnGap;
  const top = (count: number) => (height - count * step + node.gap) / 2;
  const column = (items: readonly Related[], x: number) =>
    items.map((item, at) => ({ item, x, y: top(items.length) + at * step }));
  const nodes = [...column(owners, 0), ...column(right, selfX + node.width + columnGap)];
  const width = selfX + node.width + (right.length === 0 ? 0 : columnGap + node.width);
  return { nodes, self: { x: selfX, y: top(1) }, width: width + 2, height };
}

function Graph({ self, relations }: { readonly self: { kind: string; name: string }; readonly relations: Relations }) {
  const drawing = place(relations);
  const { width, height } = drawing;
  const middle = drawing.self.y + node.height / 2;
  return (
    <div class="drawing">
      <svg
        viewBox={`-1 0 ${width} ${height}`}
        width={width}
        height={height}
        role="group"
        aria-label="Owners and references"
      >
        {drawing.nodes.map(({ item, x, y }) => {
          const isLeft = x < drawing.self.x;
          const from = {
            x: isLeft ? x + node.width : drawing.self.x + node.width,
            y: isLeft ? y + node.height / 2 : middle,
          };
          const to = { x: isLeft ? drawing.self.x : x, y: isLeft ? middle : y + node.height / 2 };
          const bend = (from.x + to.x) / 2;
          return (
            <g key={item.id}>
              <path
                class={item.by === 'owner' || item.by === 'owned' ? 'edge' : 'edge dashed'}
                d={`M${from.x} ${from.y}C${bend} ${from.y} ${bend} ${to.y} ${to.x} ${to.y}`}
              />
              <GraphNode item={item} x={x} y={y} />
            </g>
          );
        })}
        <g class="node self">
          <rect x={drawing.self.x} y={drawing.self.y} width={node.width} height={node.height} rx="7" />
          <Label x={drawing.self.x} y={drawing.self.y} kind={self.kind} name={self.name} />
        </g>
      </svg>
    </div>
  );
}

function GraphNode({ item, x, y }: Placed) {
  const note = item.by === 'owner' || item.by === 'owned' ? item.kind : `${item.kind} · ${item.by}`;
  const content = (
    <g class="node">
      <title>{`${item.kind} ${item.namespace === '' ? '' : `${item.namespace}/`}${item.name} (${item.by})`}</title>
      <rect x={x} y={y} width={node.width} height={node.height} rx="7" />
      <Label x={x} y={y} kind={note} name={item.name} />
    </g>
  );
  return item.served === undefined ? (
    content
  ) : (
    <a href={linkTo.object(item.served, item.namespace, item.name, 'relations')}>{content}</a>
  );
}

/** Characters that fit into a node; the title has the whole text. */
const most = { kind: 40, name: 32 };
const fitting = (text: string, max: number): string => (text.length <= max ? text : `${text.slice(0, max - 1)}…`);

function Label({ x, y, kind, name }: { x: number; y: number; kind: string; name: string }) {
  return (
    <>
      <text x={x + 12} y={y + 19} class="caption left">
        {fitting(kind, most.kind)}
      </text>
      <text x={x + 12} y={y + 36} class="name">
        {fitting(name, most.name)}
      </text>
    </>
  );
}
