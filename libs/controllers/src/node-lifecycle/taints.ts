import type { Node, Taint } from '@apichain/api/core/v1';
import { timestamp } from '../timestamps.ts';

const notReady = 'node.kubernetes.io/not-ready';
const unreachable = 'node.kubernetes.io/unreachable';
const unschedulable = 'node.kubernetes.io/unschedulable';

/** The taint for each status of a condition that keeps pods away. */
const taintKeys: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ready: { False: notReady, Unknown: unreachable },
  MemoryPressure: { True: 'node.kubernetes.io/memory-pressure' },
  DiskPressure: { True: 'node.kubernetes.io/disk-pressure' },
  NetworkUnavailable: { True: 'node.kubernetes.io/network-unavailable' },
  PIDPressure: { True: 'node.kubernetes.io/pid-pressure' },
};
const ownKeys: ReadonlySet<string> = new Set([
  unschedulable,
  ...Object.values(taintKeys).flatMap((keys) => Object.values(keys)),
]);

const isSame = (left: Taint, right: Taint): boolean => left.key === right.key && left.effect === right.effect;

/** The taints of a node with those NoSchedule taints that follow from its conditions and its spec. Undefined if nothing changes. */
export function withScheduleTaints({ spec, status }: Node, now: number): Taint[] | undefined {
  const wanted = (status?.conditions ?? []).flatMap(({ type = '', status: is = '' }) => taintKeys[type]?.[is] ?? []);
  if (spec?.unschedulable === true) wanted.push(unschedulable);
  const taints = wanted.map((key) => ({ key, effect: 'NoSchedule' }));
  const isObsolete = (taint: Taint) =>
    taint.effect === 'NoSchedule' && ownKeys.has(taint.key ?? '') && !taints.some((other) => isSame(other, taint));
  return changed(spec?.taints, taints, isObsolete, now);
}

/** The taints of a node with the NoExecute taint of its readiness, and without the opposite one. Undefined if nothing changes. */
export function withEvictionTaint({ spec }: Node, readiness: string, now: number): Taint[] | undefined {
  const key = evictionTaintKey(readiness);
  const taints = key === undefined ? [] : [{ key, effect: 'NoExecute' }];
  const isObsolete = (taint: Taint) =>
    taint.effect === 'NoExecute' && [notReady, unreachable].includes(taint.key ?? '') && taint.key !== key;
  return changed(spec?.taints, taints, isObsolete, now);
}

const evictionTaintKey = (readiness: string): string | undefined => taintKeys['Ready']?.[readiness];

/** Whether a node has a NoExecute taint of the other kind of not being ready, which may be replaced at once. */
export function hasOppositeTaint({ spec }: Node, readiness: string): boolean {
  const opposite = readiness === 'False' ? unreachable : notReady;
  return (spec?.taints ?? []).some((taint) => isSame(taint, { key: opposite, effect: 'NoExecute' }));
}

function changed(
  before: readonly Taint[] | null | undefined,
  wanted: readonly Taint[],
  isObsolete: (taint: Taint) => boolean,
  now: number,
): Taint[] | undefined {
  const taints = before ?? [];
  const added = wanted.filter((taint) => !taints.some((other) => isSame(other, taint)));
  if (added.length === 0 && !taints.some(isObsolete)) return undefined;
  return [
    ...taints.filter((taint) => !isObsolete(taint)),
    ...added.map((taint) => ({ ...taint, timeAdded: timestamp(now) })),
  ];
}
