import type { Job, JobStatus } from '@apichain/api/batch/v1';
import type { Pod } from '@apichain/api/core/v1';
import { assign, deepClone } from '@apichain/meta';
import { completionIndexOf, formatIndexes, indexesOf, sizeOf, union } from './indexes.ts';
import { type JobView, hasFailed, isIndexed, validIndex } from './job-view.ts';
import { judgeFailure } from './pod-failure-policy.ts';

/** The most pods whose count is under way, so that the status stays small. */
const mostUncounted = 500;

/** A step of the count of ended pods. */
interface Accounting {
  readonly status: JobStatus;
  /** Whether the status differs from before and must be written before a finalizer is removed. */
  readonly changed: boolean;
  /** Pods that lose their finalizer once the status is written. */
  readonly release: readonly Pod[];
  /** Whether pods are left for the next reconciliation. */
  readonly isPartial: boolean;
}

/** How the job stands: it goes on, has failed, or has succeeded. */
export type Ending = 'none' | 'failure' | 'success';

/**
 * Enters ended pods in the status: pods whose finalizer is gone move from `uncountedTerminatedPods` to the counters, pods that have ended since are
 * added to `uncountedTerminatedPods`. Each pod is thus counted once, whatever write is lost in between.
 * https://kubernetes.io/docs/concepts/workloads/controllers/job/#job-tracking-with-finalizers
 */
export function countEndedPods(view: JobView, ending: Ending): Accounting {
  const { job, spec, pods, indexes, isTracked } = view;
  const status = deepClone(view.status);
  const tracked = pods.filter(isTracked);
  let changed = moveToCounters(status, new Set(tracked.map(({ metadata }) => metadata.uid ?? '')));
  const uncounted = (status.uncountedTerminatedPods ??= {});
  // Sets of before this step: a pod is entered once.
  const failedBefore = new Set(view.status.uncountedTerminatedPods?.failed ?? []);
  const succeededBefore = new Set(view.status.uncountedTerminatedPods?.succeeded ?? []);
  const release: Pod[] = [];
  const newIndexes: number[] = [];
  let isPartial = false;
  for (const pod of inOrder(tracked, isIndexed(spec))) {
    const uid = pod.metadata.uid ?? '';
    if (!mayRelease(view, pod, ending)) continue;
    release.push(pod);
    const index = validIndex(pod, spec);
    if (pod.status?.phase === 'Succeeded' && !failedBefore.has(uid)) {
      if (isIndexed(spec)) {
        if (index !== undefined && !hasBefore(view, index)) newIndexes.push(index);
      } else if (!succeededBefore.has(uid)) (uncounted.succeeded ??= []).push(uid);
    } else if (hasFailed(pod, spec) || ending === 'failure') {
      const isOurs = !isIndexed(spec) || index !== undefined;
      if (isOurs && !failedBefore.has(uid) && judgeFailure(spec.podFailurePolicy, pod).counts)
        (uncounted.failed ??= []).push(uid);
    }
    const entered = newIndexes.length + (uncounted.succeeded?.length ?? 0) + (uncounted.failed?.length ?? 0);
    isPartial = entered >= mostUncounted;
    if (isPartial) break;
  }
  changed ||= newIndexes.length > 0;
  changed ||= (uncounted.succeeded?.length ?? 0) > countIn(view.job, 'succeeded');
  changed ||= (uncounted.failed?.length ?? 0) > countIn(view.job, 'failed');
  if (indexes !== undefined) {
    const succeeded = union(indexes.succeeded, indexesOf(newIndexes));
    const completedIndexes = formatIndexes(succeeded);
    const failedIndexes = indexes.failed === undefined ? undefined : formatIndexes(indexes.failed);
    changed ||=
      completedIndexes !== (job.status?.completedIndexes ?? '') || failedIndexes !== job.status?.failedIndexes;
    status.succeeded = sizeOf(succeeded);
    status.completedIndexes = completedIndexes;
    assign(status, 'failedIndexes', failedIndexes);
  }
  return { status, changed, release, isPartial };
}

const hasBefore = ({ indexes }: JobView, index: number): boolean =>
  (indexes?.countedSuccesses ?? []).some(({ first, last }) => first <= index && index <= last);

const countIn = ({ status }: Job, list: 'succeeded' | 'failed'): number =>
  status?.uncountedTerminatedPods?.[list]?.length ?? 0;

const inOrder = (pods: readonly Pod[], byIndex: boolean): readonly Pod[] =>
  byIndex ? [...pods].sort((a, b) => (completionIndexOf(a) ?? -1) - (completionIndexOf(b) ?? -1)) : pods;

/** Whether a pod may lose its finalizer: it has ended, or its job has. The pod that carries the failure count of its index must wait for the next. */
function mayRelease({ job, spec, indexes }: JobView, pod: Pod, ending: Ending): boolean {
  if (job.metadata.deletionTimestamp !== undefined || ending !== 'none' || pod.status?.phase === 'Succeeded')
    return true;
  if (!hasFailed(pod, spec)) return false;
  const index = completionIndexOf(pod);
  const carrier = index === undefined ? undefined : indexes?.failureCarriers.get(index);
  return carrier?.metadata.uid !== pod.metadata.uid || carrier === undefined;
}

/** Moves pods without finalizer from `uncountedTerminatedPods` to the counters. Returns whether there were any. */
export function moveToCounters(status: JobStatus, tracked: ReadonlySet<string>): boolean {
  let moved = false;
  for (const list of ['succeeded', 'failed'] as const) {
    const uncounted = status.uncountedTerminatedPods ?? {};
    const before = uncounted[list] ?? [];
    const left = before.filter((uid) => tracked.has(uid));
    if (left.length === before.length) continue;
    moved = true;
    status[list] = (status[list] ?? 0) + before.length - left.length;
    if (left.length > 0) uncounted[list] = left;
    else delete uncounted[list];
  }
  return moved;
}
