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
          <summary>Not everything could be searched or drawn ({problems.length})</summary>
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

const node = { width: 250, height: 46, gap: 14 };
const columnGap = 70;
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

/** One column for each level: the furthest owners on the left, then the object, then what it owns and names. Each is centred. */
function place({ owners, owned, references }: Relations): Drawing {
  const right = [[...(owned[0] ?? []), ...references], ...owned.slice(1)].filter(({ length }) => length > 0);
  const left = [...owners].reverse();
  const step = node.height + node.gap;
  const rows = Math.max(1, ...[...left, ...right].map(({ length }) => length));
  const height = rows * step + 2 * margin;
  const xOf = (column: number) => column * (node.width + columnGap);
  const top = (count: number) => (height - count * step + node.gap) / 2;
  const column = (items: readonly Related[], at: number) =>
    items.map((item, row) => ({ item, x: xOf(at), y: top(items.length) + row * step }));
  const nodes = [
    ...left.flatMap((items, at) => column(items, at)),
    ...right.flatMap((items, at) => column(items, left.length + 1 + at)),
  ];
  const width = xOf(left.length + right.length) + node.width + 2;
  return { nodes, self: { x: xOf(left.length), y: top(1) }, width, height };
}

function Graph({ self, relations }: { readonly self: { kind: string; name: string }; readonly relations: Relations }) {
  const drawing = place(relations);
  const { width, height } = drawing;
  const places = new Map(drawing.nodes.map((placed) => [placed.item.id, placed]));
  return (
    <div class="drawing" tabIndex={0} role="group" aria-label="Drawing">
      <svg
        viewBox={`-1 0 ${width} ${height}`}
        width={width}
        height={height}
        role="group"
        aria-label="Owners and references"
      >
        {drawing.nodes.map(({ item, x, y }) => (
          <g key={item.id}>
            <Edge {...{ item, x, y }} to={places.get(item.to ?? '') ?? drawing.self} />
            <GraphNode item={item} x={x} y={y} />
          </g>
        ))}
        <g class="node self">
          <rect x={drawing.self.x} y={drawing.self.y} width={node.width} height={node.height} rx="7" />
          <Label x={drawing.self.x} y={drawing.self.y} kind={self.kind} name={self.name} />
        </g>
      </svg>
    </div>
  );
}

/** From the right side of the node on the left to the left side of that on the right. */
function Edge({ item, x, y, to }: Placed & { readonly to: { readonly x: number; readonly y: number } }) {
  const [left, right] = x < to.x ? [{ x, y }, to] : [to, { x, y }];
  const [fromX, fromY, toY] = [left.x + node.width, left.y + node.height / 2, right.y + node.height / 2];
  const bend = (fromX + right.x) / 2;
  return (
    <path
      class={item.by === 'owner' || item.by === 'owned' ? 'edge' : 'edge dashed'}
      d={`M${fromX} ${fromY}C${bend} ${fromY} ${bend} ${toY} ${right.x} ${toY}`}
    />
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
const most = { kind: 36, name: 29 };
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
