import type { Pod } from '@apichain/api/core/v1';
import { isPodTerminating } from '../workloads/pod-status.ts';
import { comparePodsForRemoval } from '../workloads/removal-order.ts';
import { type FailureRecord, endOf, remainingDelay } from './failure-backoff.ts';
import { completionIndexOf, firstMissing, union } from './indexes.ts';
import { type JobView, allFailures, indexesOfPods, isIndexed, replacesOnlyFailed } from './job-view.ts';
import { isSuspended } from './outcome.ts';

/** What is to be done about the number of pods. */
export type PodPlan =
  | { readonly action: 'none' }
  | { readonly action: 'delete'; readonly pods: readonly Pod[] }
  /** `indexes` has the index of each pod of an Indexed job; of other jobs, undefined for each. */
  | { readonly action: 'create'; readonly indexes: readonly (number | undefined)[] }
  /** Failed pods are replaced after `delayMs`. */
  | { readonly action: 'wait'; readonly delayMs: number };

/** The most pods that one reconciliation creates or deletes. */
const mostPodsAtOnce = 500;

/** Which pods a job that has not ended needs more or fewer. `record` has the failures that delay replacements. */
export function planPods(view: JobView, record: FailureRecord, now: number): PodPlan {
  const { spec, active } = view;
  if (isSuspended(spec)) return deletion(podsToRemove(view, active.length));
  const wanted = wantedPods(view);
  const surplus = podsToRemove(view, Math.max(0, active.length - wanted)).slice(0, mostPodsAtOnce);
  if (surplus.length > 0) return deletion(surplus);
  const missing = wanted - active.length - (replacesOnlyFailed(spec) ? view.terminating : 0);
  return missing > 0 ? planCreation(view, missing, record, now) : { action: 'none' };
}

const deletion = (pods: readonly Pod[]): PodPlan =>
  pods.length === 0 ? { action: 'none' } : { action: 'delete', pods };

function wantedPods({ spec, active, succeeded }: JobView): number {
  const { parallelism = 0, completions } = spec;
  if (completions === undefined) return succeeded > 0 ? active.length : parallelism;
  return Math.max(0, Math.min(completions - succeeded, parallelism));
}

function planCreation(view: JobView, missing: number, record: FailureRecord, now: number): PodPlan {
  const { spec, indexes } = view;
  const isPerIndex = isIndexed(spec) && spec.backoffLimitPerIndex !== undefined;
  const delayMs = isPerIndex ? 0 : remainingDelay(record, now);
  if (delayMs > 0) return { action: 'wait', delayMs };
  const count = Math.min(missing, mostPodsAtOnce);
  if (indexes === undefined) return { action: 'create', indexes: new Array<undefined>(count).fill(undefined) };
  const pending = pendingIndexes(view, count);
  const delays = pending.map((index) => indexDelay(indexes.failureCarriers.get(index), now));
  const ready = pending.filter((_, position) => delays[position] === 0);
  if (ready.length > 0) return { action: 'create', indexes: ready };
  return delays.length > 0 ? { action: 'wait', delayMs: Math.min(...delays) } : { action: 'none' };
}

function indexDelay(failed: Pod | undefined, now: number): number {
  if (failed === undefined) return 0;
  return remainingDelay({ failures: allFailures(failed) + 1, lastFailure: endOf(failed) }, now);
}

function pendingIndexes({ spec, pods, active, indexes }: JobView, count: number): number[] {
  let taken = union(indexes?.succeeded ?? [], indexesOfPods(active));
  if (replacesOnlyFailed(spec)) taken = union(taken, indexesOfPods(pods.filter(isPodTerminating)));
  return firstMissing(union(taken, indexes?.failed ?? []), count, spec.completions ?? 0);
}

/** At least `atLeast` active pods: first those of an Indexed job without valid index and all but one of the same index, then in order of removal. */
function podsToRemove({ spec, active }: Pick<JobView, 'spec' | 'active'>, atLeast: number): Pod[] {
  const wrong = isIndexed(spec) ? podsWithoutOwnIndex(active, spec.completions ?? 0) : [];
  if (wrong.length >= atLeast) return wrong;
  const isWrong = new Set(wrong);
  const left = active.filter((pod) => !isWrong.has(pod)).sort(comparePodsForRemoval);
  return [...wrong, ...left.slice(0, atLeast - wrong.length)];
}

function podsWithoutOwnIndex(pods: readonly Pod[], completions: number): Pod[] {
  const byIndex = Map.groupBy(pods, (pod) => completionIndexOf(pod) ?? -1);
  return [...byIndex].flatMap(([index, same]) =>
    index < 0 || index >= completions ? same : [...same].sort(comparePodsForRemoval).slice(0, -1),
  );
}
