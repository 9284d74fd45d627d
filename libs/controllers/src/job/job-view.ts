import type { Job, JobSpec, JobStatus } from '@apichain/api/batch/v1';
import type { Pod } from '@apichain/api/core/v1';
import { isPodActive, isPodTerminating } from '../workloads/pod-status.ts';
import { endOf } from './failure-backoff.ts';
import { type Indexes, completionIndexOf, hasIndex, indexesOf, parseIndexes, sizeOf, union } from './indexes.ts';
import { judgeFailure } from './pod-failure-policy.ts';

/** The finalizer of pods that are not yet counted in the status of their job. */
export const trackingFinalizer = 'batch.kubernetes.io/job-tracking';
const failureCountKey = 'batch.kubernetes.io/job-index-failure-count';
const ignoredFailureCountKey = 'batch.kubernetes.io/job-index-ignored-failure-count';

/** A job and its pods, as one reconciliation sees them. */
export interface JobView {
  readonly job: Job;
  readonly spec: JobSpec;
  readonly status: JobStatus;
  readonly pods: readonly Pod[];
  readonly active: readonly Pod[];
  readonly terminating: number;
  /** Pods that ended since the last count in the status. */
  readonly newlySucceeded: readonly Pod[];
  readonly newlyFailed: readonly Pod[];
  /** All that ended, counted in the status or not. For Indexed jobs, `succeeded` is the number of indexes. */
  readonly succeeded: number;
  readonly failed: number;
  /** Only of Indexed jobs. */
  readonly indexes: IndexView | undefined;
  /** Whether a pod still has its finalizer, as far as this controller knows. */
  readonly isTracked: (pod: Pod) => boolean;
}

/** The state of the indexes of an Indexed job. */
export interface IndexView {
  readonly countedSuccesses: Indexes;
  readonly succeeded: Indexes;
  /** Undefined without backoffLimitPerIndex. */
  readonly failed: Indexes | undefined;
  /** The pods that carry the failure count of an index until its next pod exists, by index. */
  readonly failureCarriers: ReadonlyMap<number, Pod>;
}

/** Whether a job is Indexed. */
export const isIndexed = (spec: JobSpec): boolean => spec.completionMode === 'Indexed';

/** Whether pods are replaced only once they have failed, not when they begin to terminate. */
export const replacesOnlyFailed = (spec: JobSpec): boolean =>
  spec.podReplacementPolicy === 'Failed' || spec.podFailurePolicy !== undefined;

/** Whether a pod is a failure of its job. */
export function hasFailed(pod: Pod, spec: JobSpec): boolean {
  const { phase } = pod.status ?? {};
  if (phase === 'Failed') return true;
  return !replacesOnlyFailed(spec) && pod.metadata.deletionTimestamp !== undefined && phase !== 'Succeeded';
}

/** Whether the pod has the finalizer in this copy. */
export const hasTrackingFinalizer = ({ metadata }: Pod): boolean =>
  (metadata.finalizers ?? []).includes(trackingFinalizer);

/** The completion index of a pod, if it is one of the job's. */
export function validIndex(pod: Pod, spec: JobSpec): number | undefined {
  const index = completionIndexOf(pod);
  return index !== undefined && index < (spec.completions ?? 0) ? index : undefined;
}

/** The indexes of the pods. */
export const indexesOfPods = (pods: readonly Pod[]): Indexes =>
  indexesOf(pods.flatMap((pod) => completionIndexOf(pod) ?? []));

/**
 * What a job's status and its pods say together. `released` are the uids of pods whose finalizer this controller has removed; the copies of such
 * pods may still show it.
 */
export function viewJob(job: Job, pods: readonly Pod[], released: ReadonlySet<string>): JobView {
  const { spec = {}, status = {} } = job;
  const isTracked = (pod: Pod) => hasTrackingFinalizer(pod) && !released.has(pod.metadata.uid ?? '');
  const uncountedSuccesses = status.uncountedTerminatedPods?.succeeded ?? [];
  const uncountedFailures = status.uncountedTerminatedPods?.failed ?? [];
  const successes = new Set(uncountedSuccesses);
  const failures = new Set(uncountedFailures);
  const isNew = (pod: Pod, uncounted: ReadonlySet<string>) =>
    isTracked(pod) &&
    !uncounted.has(pod.metadata.uid ?? '') &&
    (!isIndexed(spec) || validIndex(pod, spec) !== undefined);
  const active = pods.filter(isPodActive);
  const newlySucceeded = pods.filter((pod) => pod.status?.phase === 'Succeeded' && isNew(pod, successes));
  const newlyFailed = pods.filter((pod) => hasFailed(pod, spec) && isNew(pod, failures));
  const countedFailures = newlyFailed.filter((pod) => judgeFailure(spec.podFailurePolicy, pod).counts);
  const indexes = isIndexed(spec) ? viewIndexes(spec, status, pods, active, isTracked) : undefined;
  return {
    job,
    spec,
    status,
    pods,
    active,
    terminating: pods.filter(isPodTerminating).length,
    newlySucceeded,
    newlyFailed,
    succeeded:
      indexes === undefined
        ? (status.succeeded ?? 0) + newlySucceeded.length + uncountedSuccesses.length
        : sizeOf(indexes.succeeded),
    failed: (status.failed ?? 0) + countedFailures.length + uncountedFailures.length,
    indexes,
    isTracked,
  };
}

function viewIndexes(
  spec: JobSpec,
  status: JobStatus,
  pods: readonly Pod[],
  active: readonly Pod[],
  isTracked: (pod: Pod) => boolean,
): IndexView {
  const completions = spec.completions ?? 0;
  const indexesWhere = (matches: (pod: Pod) => boolean) =>
    indexesOf(
      pods.filter((pod) => hasTrackingFinalizer(pod) && matches(pod)).flatMap((pod) => validIndex(pod, spec) ?? []),
    );
  const countedSuccesses = parseIndexes(status.completedIndexes ?? '', completions);
  const succeeded = union(
    countedSuccesses,
    indexesWhere(({ status: { phase } = {} }) => phase === 'Succeeded'),
  );
  if (spec.backoffLimitPerIndex === undefined)
    return { countedSuccesses, succeeded, failed: undefined, failureCarriers: new Map() };
  const failed = union(
    parseIndexes(status.failedIndexes ?? '', completions),
    indexesWhere((pod) => failsItsIndex(pod, spec)),
  );
  const settled = union(union(succeeded, failed), indexesOfPods(active));
  return { countedSuccesses, succeeded, failed, failureCarriers: carriersOf(spec, pods.filter(isTracked), settled) };
}

function failsItsIndex(pod: Pod, spec: JobSpec): boolean {
  if (!hasFailed(pod, spec)) return false;
  const { action, counts } = judgeFailure(spec.podFailurePolicy, pod);
  if (action === 'FailIndex') return true;
  return counts && failureCounts(pod).failures >= (spec.backoffLimitPerIndex ?? 0);
}

function carriersOf(spec: JobSpec, pods: readonly Pod[], settled: Indexes): ReadonlyMap<number, Pod> {
  const carriers = new Map<number, Pod>();
  for (const pod of pods) {
    const index = validIndex(pod, spec);
    if (index === undefined || !hasFailed(pod, spec) || hasIndex(settled, index)) continue;
    const other = carriers.get(index);
    const replaces = other === undefined || (allFailures(other) <= allFailures(pod) && endOf(other) <= endOf(pod));
    if (replaces) carriers.set(index, pod);
  }
  return carriers;
}

/** The failures of an index before the pod, from the annotations of the pod. */
function failureCounts({ metadata }: Pod): { readonly failures: number; readonly ignored: number } {
  const count = (key: string) => {
    const value = Number(metadata.annotations?.[key] ?? 0);
    return Number.isInteger(value) && value >= 0 && value < 2 ** 31 ? value : 0;
  };
  return { failures: count(failureCountKey), ignored: count(ignoredFailureCountKey) };
}

/** All failures of an index before the pod. */
export function allFailures(pod: Pod): number {
  const { failures, ignored } = failureCounts(pod);
  return failures + ignored;
}

/** The annotations that carry the failure count of an index to the pod that follows `failed`. */
export function failureCountAnnotations(spec: JobSpec, failed: Pod | undefined): Record<string, string> {
  const before = failed === undefined ? { failures: 0, ignored: 0 } : failureCounts(failed);
  const counts = failed !== undefined && judgeFailure(spec.podFailurePolicy, failed).counts;
  const failures = before.failures + (failed !== undefined && counts ? 1 : 0);
  const ignored = before.ignored + (failed !== undefined && !counts ? 1 : 0);
  return {
    [failureCountKey]: String(failures),
    ...(ignored > 0 ? { [ignoredFailureCountKey]: String(ignored) } : {}),
  };
}
