import type { ContainerStatus, Pod } from '@apichain/api/core/v1';
import { compareText, findCondition } from '@apichain/meta';
import { type Time, milliseconds } from '../timestamps.ts';
import { isPodReady } from './pod-status.ts';

const phaseOrder: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };

/**
 * The order in which active pods are removed when there are too many: not scheduled before scheduled, pending before running, not ready before
 * ready, short before long ready, often before seldom restarted, new before old.
 */
export function comparePodsForRemoval(left: Pod, right: Pod): number {
  const differences = [
    Number(isScheduled(left)) - Number(isScheduled(right)),
    phaseOf(left) - phaseOf(right),
    Number(isPodReady(left)) - Number(isPodReady(right)),
    isPodReady(left) && isPodReady(right) ? laterFirst(readyTime(left), readyTime(right)) : 0,
    ...compareRestarts(left, right),
    laterFirst(left.metadata.creationTimestamp, right.metadata.creationTimestamp),
  ];
  return (
    differences.find((difference) => difference !== 0) ??
    // Only for a stable order.
    compareText(left.metadata.name ?? '', right.metadata.name ?? '')
  );
}

const isScheduled = ({ spec }: Pod): boolean => (spec?.nodeName ?? '') !== '';
const phaseOf = ({ status }: Pod): number => phaseOrder[status?.phase ?? ''] ?? 0;
const readyTime = ({ status }: Pod): Time => findCondition(status?.conditions, 'Ready')?.lastTransitionTime;

/** A time that is not set comes first. */
function laterFirst(left: Time, right: Time): number {
  const [a, b] = [milliseconds(left) ?? Infinity, milliseconds(right) ?? Infinity];
  return a === b ? 0 : b - a;
}

function compareRestarts(left: Pod, right: Pod): number[] {
  const [a, b] = [mostRestarts(left), mostRestarts(right)];
  return [b.containers - a.containers, b.sidecars - a.sidecars];
}

function mostRestarts({ spec, status }: Pod): { readonly containers: number; readonly sidecars: number } {
  const sidecars = new Set(
    (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always').map(({ name }) => name),
  );
  const most = (statuses: readonly ContainerStatus[]) =>
    Math.max(0, ...statuses.map(({ restartCount }) => restartCount ?? 0));
  return {
    containers: most(status?.containerStatuses ?? []),
    sidecars: most((status?.initContainerStatuses ?? []).filter(({ name }) => sidecars.has(name))),
  };
}
