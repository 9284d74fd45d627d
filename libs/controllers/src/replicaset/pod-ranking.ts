import type { Pod } from '@apichain/api/core/v1';
import { compareText } from '@apichain/meta';
import { isPodActive, isPodReady, readySince } from '../workloads/pod-status.ts';

/** What decides which of two pods is deleted first. */
interface RankedPod {
  readonly pod: Pod;
  /** Active pods of related owners on the same node. */
  readonly neighbours: number;
}

type Rule = (a: RankedPod, b: RankedPod, now: number) => number;

const phaseOrder: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };
const deletionCostAnnotation = 'controller.kubernetes.io/pod-deletion-cost';

/**
 * The pods in the order in which a scale-down deletes them. `related` are the pods of all owners that roll out the same workload: of pods on one node
 * some are deleted first. Source: ActivePodsWithRanks in k8s.io/kubernetes/pkg/controller/controller_utils.go.
 */
export function inDeletionOrder(pods: readonly Pod[], related: readonly Pod[], now: number): Pod[] {
  const onNode = new Map<string, number>();
  for (const pod of related) {
    if (!isPodActive(pod)) continue;
    const node = nodeOf(pod);
    onNode.set(node, (onNode.get(node) ?? 0) + 1);
  }
  return pods
    .map((pod): RankedPod => ({ pod, neighbours: onNode.get(nodeOf(pod)) ?? 0 }))
    .sort((a, b) => compare(a, b, now))
    .map(({ pod }) => pod);
}

function compare(a: RankedPod, b: RankedPod, now: number): number {
  for (const rule of rules) {
    const order = rule(a, b, now);
    if (order !== 0) return order;
  }
  return 0;
}

/** Each rule is negative if the first pod is to be deleted first, and 0 if it does not decide. */
const rules: readonly Rule[] = [
  // Not assigned to a node before assigned.
  ({ pod: a }, { pod: b }) => Number(nodeOf(a) !== '') - Number(nodeOf(b) !== ''),
  // Pending before Unknown before Running.
  ({ pod: a }, { pod: b }) => (phaseOrder[phaseOf(a)] ?? 0) - (phaseOrder[phaseOf(b)] ?? 0),
  // Not ready before ready.
  ({ pod: a }, { pod: b }) => Number(isPodReady(a)) - Number(isPodReady(b)),
  // The lower cost first.
  ({ pod: a }, { pod: b }) => deletionCost(a) - deletionCost(b),
  // The one with more neighbours first.
  (a, b) => b.neighbours - a.neighbours,
  // The one that has been ready for a shorter time first.
  ({ pod: a }, { pod: b }, now) => (isPodReady(a) ? compareAges(a, b, readySince(a), readySince(b), now) : 0),
  // The one with more restarts first.
  ({ pod: a }, { pod: b }) => restarts(b) - restarts(a),
  ({ pod: a }, { pod: b }) => sidecarRestarts(b) - sidecarRestarts(a),
  // The younger first.
  ({ pod: a }, { pod: b }, now) => compareAges(a, b, createdAt(a), createdAt(b), now),
];

const nodeOf = ({ spec }: Pod): string => spec?.nodeName ?? '';
const phaseOf = ({ status }: Pod): string => status?.phase ?? '';

function createdAt({ metadata }: Pod): number | undefined {
  const time = metadata.creationTimestamp ?? undefined;
  return time === undefined ? undefined : Date.parse(time);
}

/** The value of the annotation, 0 if it is not a number of 32 bits. */
export function deletionCost({ metadata }: Pod): number {
  const text = metadata.annotations?.[deletionCostAnnotation] ?? '';
  if (!/^(0|-[0-9]+|[1-9][0-9]*)$/.test(text)) return 0;
  const cost = Number(text);
  return cost >= -(2 ** 31) && cost < 2 ** 31 ? cost : 0;
}

/**
 * The later time first, an unknown one before all. Times of the same order of magnitude (base 2) are equivalent, and the uid decides, so that pods of a
 * similar age are chosen at random.
 */
function compareAges(a: Pod, b: Pod, timeA: number | undefined, timeB: number | undefined, now: number): number {
  if (timeA === timeB) return 0;
  if (timeA === undefined) return -1;
  if (timeB === undefined) return 1;
  const order = magnitude(now - timeA) - magnitude(now - timeB);
  return order === 0 ? compareText(a.metadata.uid ?? '', b.metadata.uid ?? '') : order;
}

const magnitude = (ageMs: number): number => (ageMs > 0 ? Math.trunc(Math.log2(ageMs * 1e6)) : -1);

const maxRestarts = (statuses: readonly { readonly restartCount?: number }[]): number =>
  Math.max(0, ...statuses.map(({ restartCount = 0 }) => restartCount));

const restarts = ({ status }: Pod): number => maxRestarts(status?.containerStatuses ?? []);

function sidecarRestarts({ spec, status }: Pod): number {
  const sidecars = new Set(
    (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always').map(({ name }) => name),
  );
  return maxRestarts((status?.initContainerStatuses ?? []).filter(({ name }) => sidecars.has(name)));
}
