import type { Mood } from '../parts/parts.tsx';
import { podsText } from './overview.ts';
import type { Pod } from './pod.ts';

/** A part of a gauge. */
interface Part {
  readonly value: number;
  readonly kind: Mood | 'used';
}

/** Parts of a whole, side by side. The text beside it says the same. */
export function Gauge({ parts, whole }: { readonly parts: readonly Part[]; readonly whole: number }) {
  const width = (value: number) => (whole <= 0 ? 0 : Math.min(100, (value / whole) * 100));
  let at = 0;
  return (
    <svg class="gauge" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
      {parts.map(({ value, kind }) => {
        const x = at;
        at += width(value);
        return <rect key={kind} class={kind} x={x} width={Math.max(0, Math.min(100 - x, width(value)))} height="1" />;
      })}
    </svg>
  );
}

const side = 10;
const step = 13;
const perLine = 20;
/** Pods that are drawn; the words count all of them. */
const maxDrawn = 3 * perLine;

/**
 * A square for each pod of a node: full when it is ready, hollow when it is not, crossed when it fails, small when it has completed. A click opens the
 * pod; by the keyboard, the list of pods does.
 */
export function PodSquares({ pods, onOpen }: { readonly pods: readonly Pod[]; readonly onOpen: (pod: Pod) => void }) {
  const drawn = pods.slice(0, maxDrawn);
  const open = ({ target }: MouseEvent) => {
    const name = target instanceof Element ? target.closest('[data-at]')?.getAttribute('data-at') : undefined;
    const pod = drawn[Number(name ?? Number.NaN)];
    if (pod !== undefined) onOpen(pod);
  };
  const lines = Math.max(1, Math.ceil(drawn.length / perLine));
  return (
    <svg
      class="squares"
      width={Math.min(perLine, Math.max(1, drawn.length)) * step}
      height={lines * step}
      role="img"
      aria-label={podsText(pods)}
      onClick={open}
    >
      {drawn.map((pod, at) => (
        <Square key={`${pod.namespace}/${pod.name}`} pod={pod} at={at} />
      ))}
    </svg>
  );
}

function Square({ pod, at }: { readonly pod: Pod; readonly at: number }) {
  const x = (at % perLine) * step + 1;
  const y = Math.floor(at / perLine) * step + 1;
  const size = pod.mood === 'plain' ? side / 2 : side;
  const inset = (side - size) / 2;
  return (
    <g class={pod.mood} data-at={at}>
      <title>{`${pod.namespace}/${pod.name}: ${pod.status}, ${pod.readyContainers}/${pod.containers} ready`}</title>
      <rect x={x + inset} y={y + inset} width={size} height={size} rx="2" />
      {pod.mood === 'bad' && <path d={`M${x + 3} ${y + 3}l4 4m0-4l-4 4`} />}
    </g>
  );
}
