import type { Pod, PodCondition } from '@apichain/api/core/v1';
import { findCondition, isSet } from '@apichain/meta';

/** What controllers conclude from the status of a Pod. Source: k8s.io/kubernetes/pkg/api/v1/pod. */

const readyCondition = ({ status }: Pod): PodCondition | undefined => findCondition(status?.conditions, 'Ready');

export const isPodReady = (pod: Pod): boolean => readyCondition(pod)?.status === 'True';

/** When a ready pod became ready, in milliseconds since the epoch. Undefined for other pods, and if the time is not known. */
export function readySince(pod: Pod): number | undefined {
  const condition = readyCondition(pod);
  return condition?.status === 'True' && isSet(condition.lastTransitionTime)
    ? Date.parse(condition.lastTransitionTime)
    : undefined;
}

/** Whether a pod has been ready for `minReadySeconds` at the time `now`, in milliseconds since the epoch. */
export function isPodAvailable(pod: Pod, minReadySeconds: number, now: number): boolean {
  if (!isPodReady(pod)) return false;
  if (minReadySeconds === 0) return true;
  const since = readySince(pod);
  return since !== undefined && since + minReadySeconds * 1000 <= now;
}

/** In how many milliseconds the next of the ready pods becomes available; undefined if none does by mere waiting. */
export function nextAvailabilityIn(pods: readonly Pod[], minReadySeconds: number, now: number): number | undefined {
  const waits = pods
    .map((pod) => (readySince(pod) ?? -Infinity) + minReadySeconds * 1000 - now)
    .filter((wait) => wait > 0);
  return waits.length === 0 ? undefined : Math.min(...waits);
}

/** Whether all containers have ended for good. */
export const isPodTerminal = ({ status }: Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';

/** Whether a pod counts as a replica: it is neither at its end nor being deleted. */
export const isPodActive = (pod: Pod): boolean => !isPodTerminal(pod) && pod.metadata.deletionTimestamp === undefined;

/** Whether a pod is being deleted and may still run. */
export const isPodTerminating = (pod: Pod): boolean =>
  !isPodTerminal(pod) && pod.metadata.deletionTimestamp !== undefined;
