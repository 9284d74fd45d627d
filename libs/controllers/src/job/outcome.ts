import type { Job, JobCondition, JobSpec, SuccessPolicy } from '@apichain/api/batch/v1';
import type { Pod } from '@apichain/api/core/v1';
import { findCondition, integer } from '@apichain/meta';
import { milliseconds, timestamp } from '../timestamps.ts';
import { sizeOf, type Indexes, overlap, parseIndexes } from './indexes.ts';
import { type JobView, hasFailed } from './job-view.ts';
import { judgeFailure } from './pod-failure-policy.ts';

/** How a job ends, or why it will. `type` is FailureTarget, SuccessCriteriaMet or Failed. */
export type Outcome = Required<Pick<JobCondition, 'type' | 'reason' | 'message'>>;

const because = (type: string, reason: string, message: string): Outcome => ({ type, reason, message });

/** The outcome of a job that has reached its completions. */
export const completionsReached = because(
  'SuccessCriteriaMet',
  'CompletionsReached',
  'Reached expected number of succeeded pods',
);

/**
 * Why a job ends, apart from reaching its completions: what an earlier reconciliation has decided, then pod failure policy, back-off limit, deadline,
 * failed indexes, and success policy. Undefined if it goes on.
 */
export function outcomeOf(view: JobView, now: number): Outcome | undefined {
  const { job, spec, indexes } = view;
  const decided = decidedOutcome(job);
  if (decided !== undefined) return decided;
  const message = failureByPolicy(view);
  if (message !== undefined) return because('FailureTarget', 'PodFailurePolicy', message);
  if (view.failed > (spec.backoffLimit ?? 0) || hasTooManyRestarts(view))
    return because('FailureTarget', 'BackoffLimitExceeded', 'Job has reached the specified backoff limit');
  if (isPastDeadline(job, now))
    return because('FailureTarget', 'DeadlineExceeded', 'Job was active longer than specified deadline');
  if (indexes === undefined) return undefined;
  const failed = sizeOf(indexes.failed ?? []);
  const completions = spec.completions ?? 0;
  if (spec.maxFailedIndexes !== undefined && failed > spec.maxFailedIndexes)
    return because(
      'FailureTarget',
      'MaxFailedIndexesExceeded',
      'Job has exceeded the specified maximal number of failed indexes',
    );
  if (failed > 0 && failed + sizeOf(indexes.succeeded) >= completions)
    return because('FailureTarget', 'FailedIndexes', 'Job has failed indexes');
  const met = metSuccessRule(spec.successPolicy, completions, indexes.succeeded);
  return met === undefined ? undefined : because('SuccessCriteriaMet', 'SuccessPolicy', met);
}

function decidedOutcome({ status }: Job): Outcome | undefined {
  const met = findCondition(status?.conditions, 'SuccessCriteriaMet');
  if (met?.status === 'True') return because('SuccessCriteriaMet', met.reason ?? '', met.message ?? '');
  const target = findCondition(status?.conditions, 'FailureTarget');
  if (target?.status === 'True') return because('Failed', target.reason ?? '', target.message ?? '');
  return undefined;
}

function failureByPolicy({ spec, pods }: JobView): string | undefined {
  if (spec.podFailurePolicy === undefined) return undefined;
  const failures = pods.filter((pod) => hasFailed(pod, spec));
  return failures.map((pod) => judgeFailure(spec.podFailurePolicy, pod).failJob).find((reason) => reason !== undefined);
}

/** Containers that are restarted in place count as well. */
function hasTooManyRestarts({ spec, pods }: JobView): boolean {
  if (spec.template?.spec?.restartPolicy !== 'OnFailure') return false;
  const restarts = pods.reduce((sum, pod) => sum + restartsOf(pod), 0);
  return restarts > 0 && restarts >= (spec.backoffLimit ?? 0);
}

function restartsOf({ status }: Pod): number {
  if (status?.phase !== 'Running' && status?.phase !== 'Pending') return 0;
  const containers = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  return containers.reduce((sum, { restartCount = 0 }) => sum + restartCount, 0);
}

/** When the deadline of a job passes, in milliseconds since 1970. Undefined without a deadline, and while the job is suspended or not started. */
export function deadlineOf({ spec, status }: Job): number | undefined {
  const start = milliseconds(status?.startTime);
  if (spec?.activeDeadlineSeconds === undefined || start === undefined || isSuspended(spec)) return undefined;
  return start + integer(spec.activeDeadlineSeconds) * 1_000;
}

function isPastDeadline(job: Job, now: number): boolean {
  const deadline = deadlineOf(job);
  return deadline !== undefined && now >= deadline;
}

/** Whether a job is suspended. */
export const isSuspended = ({ suspend }: JobSpec): boolean => suspend === true;

/** Whether a job has ended. */
export const isFinished = ({ status }: Job): boolean =>
  ['Complete', 'Failed'].some((type) => findCondition(status?.conditions, type)?.status === 'True');

/** Whether the job is reconciled by somebody else. */
export const isManagedByOthers = ({ spec }: Job): boolean =>
  spec?.managedBy !== undefined && spec.managedBy !== 'kubernetes.io/job-controller';

/** A condition of a job. */
export function newCondition(outcome: Outcome, now: number, status: 'True' | 'False' = 'True'): JobCondition {
  const time = timestamp(now);
  const { type, reason, message } = outcome;
  return { type, status, lastProbeTime: time, lastTransitionTime: time, reason, message };
}

/** Sets a condition. One that is False is not added. Returns whether the list has changed. */
export function setCondition(conditions: JobCondition[], condition: JobCondition): boolean {
  const position = conditions.findIndex(({ type }) => type === condition.type);
  const { status, reason, message } = condition;
  const known = conditions[position];
  if (known === undefined) {
    if (status === 'True') conditions.push(condition);
    return status === 'True';
  }
  if (known.status === status && known.reason === reason && known.message === message) return false;
  conditions[position] = condition;
  return true;
}

/**
 * Why a job has succeeded before all of its indexes have. Undefined if no rule of the policy is met.
 * https://kubernetes.io/docs/concepts/workloads/controllers/job/#success-policy
 */
function metSuccessRule(
  policy: SuccessPolicy | undefined,
  completions: number,
  succeeded: Indexes,
): string | undefined {
  if (succeeded.length === 0) return undefined;
  const index = (policy?.rules ?? []).findIndex(({ succeededIndexes, succeededCount = Infinity }) => {
    if (succeededIndexes === undefined) return sizeOf(succeeded) >= succeededCount;
    const required = parseIndexes(succeededIndexes, completions);
    if (required.length === 0) return false;
    const met = overlap(required, succeeded);
    return met === sizeOf(required) || met >= succeededCount;
  });
  return index === -1 ? undefined : `Matched rules at index ${index}`;
}
