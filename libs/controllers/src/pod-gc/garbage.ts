import type { Node, Pod } from '@apichain/api/core/v1';
import { compareText, findCondition } from '@apichain/meta';
import { milliseconds } from '../timestamps.ts';
import { isPodTerminal } from '../workloads/pod-status.ts';

/** Why a pod is garbage. */
type GarbageReason = 'unscheduled' | 'out-of-service' | 'orphaned';

/**
 * Why a pod is garbage, apart from the number of pods that have ended: it is being deleted and was never scheduled, or on a node that is out of service;
 * or its node does not exist.
 */
export function garbageReason(
  { metadata, spec }: Pod,
  nodeOf: (name: string) => Node | undefined,
): GarbageReason | undefined {
  const isTerminating = metadata.deletionTimestamp !== undefined;
  const { nodeName = '' } = spec ?? {};
  if (nodeName === '') return isTerminating ? 'unscheduled' : undefined;
  const node = nodeOf(nodeName);
  if (node === undefined) return 'orphaned';
  return isTerminating && isOutOfService(node) ? 'out-of-service' : undefined;
}

/** Whether a node is not ready, and marked as shut down by the administrator. */
function isOutOfService({ spec, status }: Node): boolean {
  const isReady = findCondition(status?.conditions, 'Ready')?.status === 'True';
  return !isReady && (spec?.taints ?? []).some(({ key }) => key === 'node.kubernetes.io/out-of-service');
}

/** The pods that have ended beyond the threshold: evicted ones first, then the oldest. A threshold of 0 keeps all. */
export function endedBeyond(threshold: number, pods: readonly Pod[]): Pod[] {
  const ended = pods.filter(isPodTerminal);
  const surplus = ended.length - threshold;
  return threshold <= 0 || surplus <= 0 ? [] : ended.sort(compareAge).slice(0, surplus);
}

function compareAge(left: Pod, right: Pod): number {
  const evicted = Number(isEvicted(right)) - Number(isEvicted(left));
  if (evicted !== 0) return evicted;
  const [a, b] = [left, right].map(({ metadata }) => milliseconds(metadata.creationTimestamp) ?? 0);
  return (a ?? 0) - (b ?? 0) || compareText(left.metadata.name ?? '', right.metadata.name ?? '');
}

const isEvicted = ({ status }: Pod): boolean => status?.phase === 'Failed' && status.reason === 'Evicted';
