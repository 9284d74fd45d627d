import type { Pod } from '@apichain/api/core/v1';
import type { Condition } from '@apichain/api/meta/v1';
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from '@apichain/api/policy/v1';
import { findCondition, integer } from '@apichain/meta';
import { milliseconds, timestamp } from '../timestamps.ts';
import { scaledValue } from '../workloads/int-or-percent.ts';
import { isPodReady } from '../workloads/pod-status.ts';

/** A pod that is to be evicted and is not being deleted after this time stays. */
const deletionTimeoutMs = 120_000;

/** The controllers of a budget's pods, as far as they matter. */
export interface ExpectedScale {
  /** The sum of their replicas. */
  readonly replicas: number;
  /** The names of pods without a controller. */
  readonly unmanaged: readonly string[];
}

/** Whether a budget depends on the replicas of the controllers, not only on the pods that there are. */
export function needsScale({ spec }: PodDisruptionBudget): boolean {
  return spec?.maxUnavailable !== undefined || typeof spec?.minAvailable === 'string';
}

/** How many pods there should be, and how many of them healthy. */
export function expectation(
  { spec }: PodDisruptionBudget,
  podCount: number,
  replicas: number,
): { readonly expectedPods: number; readonly desiredHealthy: number } {
  const { maxUnavailable, minAvailable } = spec ?? {};
  if (maxUnavailable !== undefined) {
    const desiredHealthy = Math.max(0, replicas - scaledValue(maxUnavailable, replicas, 'up'));
    return { expectedPods: replicas, desiredHealthy };
  }
  if (typeof minAvailable === 'string')
    return { expectedPods: replicas, desiredHealthy: scaledValue(minAvailable, replicas, 'up') };
  return minAvailable === undefined
    ? { expectedPods: 0, desiredHealthy: 0 }
    : { expectedPods: podCount, desiredHealthy: minAvailable };
}

/** The pods whose eviction has been allowed: those that are about to be deleted, those that were not, and when to look again. */
export function followEvictions(
  { status }: PodDisruptionBudget,
  pods: readonly Pod[],
  now: number,
): {
  readonly disruptedPods: Record<string, string>;
  readonly notDeleted: readonly Pod[];
  readonly lookAgain: number | undefined;
} {
  const disruptedPods: Record<string, string> = {};
  const notDeleted: Pod[] = [];
  let lookAgain: number | undefined;
  for (const pod of pods) {
    const { name = '', deletionTimestamp } = pod.metadata;
    const allowed = status?.disruptedPods?.[name];
    const time = milliseconds(allowed);
    if (deletionTimestamp !== undefined || time === undefined || typeof allowed !== 'string') continue;
    const end = time + deletionTimeoutMs;
    if (end < now) notDeleted.push(pod);
    else {
      disruptedPods[name] = allowed;
      lookAgain = Math.min(end, lookAgain ?? Infinity);
    }
  }
  return { disruptedPods, notDeleted, lookAgain };
}

/** How many pods are ready, and will not be evicted soon. */
export const countHealthy = (pods: readonly Pod[], disruptedPods: Readonly<Record<string, string>>): number =>
  pods.filter(
    (pod) =>
      pod.metadata.deletionTimestamp === undefined &&
      disruptedPods[pod.metadata.name ?? ''] === undefined &&
      isPodReady(pod),
  ).length;

/** The status of a budget. */
export function budgetStatus(
  { metadata, status }: PodDisruptionBudget,
  counts: { readonly currentHealthy: number; readonly desiredHealthy: number; readonly expectedPods: number },
  disruptedPods: Readonly<Record<string, string>>,
  now: number,
): PodDisruptionBudgetStatus {
  const { currentHealthy, desiredHealthy, expectedPods } = counts;
  const disruptionsAllowed = expectedPods > 0 ? Math.max(0, currentHealthy - desiredHealthy) : 0;
  const [is, reason] = disruptionsAllowed > 0 ? ['True', 'SufficientPods'] : ['False', 'InsufficientPods'];
  return {
    observedGeneration: integer(metadata.generation),
    ...(Object.keys(disruptedPods).length > 0 && { disruptedPods }),
    disruptionsAllowed,
    currentHealthy,
    desiredHealthy,
    expectedPods,
    conditions: withCondition(status?.conditions ?? [], is, reason, '', integer(metadata.generation), now),
  };
}

/** The status of a budget that could not be computed: nothing may be evicted. */
export const failedStatus = (
  { status }: PodDisruptionBudget,
  message: string,
  now: number,
): PodDisruptionBudgetStatus => ({
  ...status,
  disruptionsAllowed: 0,
  conditions: withCondition(
    status?.conditions ?? [],
    'False',
    'SyncFailed',
    message,
    integer(status?.observedGeneration),
    now,
  ),
});

function withCondition(
  conditions: readonly Condition[],
  status: string,
  reason: string,
  message: string,
  observedGeneration: number,
  now: number,
): Condition[] {
  const type = 'DisruptionAllowed';
  const known = findCondition(conditions, type);
  const lastTransitionTime = known?.status === status ? (known.lastTransitionTime ?? null) : timestamp(now);
  const condition = { type, status, observedGeneration, lastTransitionTime, reason, message };
  if (known === undefined) return [...conditions, condition];
  return conditions.map((other) => (other === known ? condition : other));
}
