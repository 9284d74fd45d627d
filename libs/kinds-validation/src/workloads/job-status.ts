import type { Job, JobSpec, JobStatus } from '@apichain/api/batch/v1';
import { field, type FieldError, findCondition } from '@apichain/meta';
import { isSet } from '@apichain/kinds';
import { semanticEqual } from '@apichain/meta';
import { isBefore } from '../common/formats.ts';
import { goValue } from '../common/go-value.ts';
import { checkEach, collect, immutable, nonNegatives, type Out, withoutValue } from '../common/rules.ts';
import { firstOverlap, parseIndexes } from './indexes.ts';

/** The inputs for checking an update of a Job's status: the new spec, the new status, and the stored status. */
interface StatusChange {
  readonly spec: JobSpec;
  readonly status: JobStatus;
  readonly old: JobStatus;
  /** Whether one of these members differs from the stored one. */
  readonly changed: (...members: readonly (keyof JobStatus)[]) => boolean;
  /** Whether one of these conditions changed to or from True. */
  readonly turned: (...types: readonly string[]) => boolean;
}

const isTrue = (status: JobStatus, type: string): boolean => findCondition(status.conditions, type)?.status === 'True';
const isFinished = (status: JobStatus): boolean => isTrue(status, 'Complete') || isTrue(status, 'Failed');
const becameFinished = ({ status, old }: StatusChange): boolean => isFinished(status) !== isFinished(old);

const conditionPath = 'status.conditions';
function uncountedErrors(out: Out, status: JobStatus): void {
  const seen = new Set<string>();
  const uncounted = status.uncountedTerminatedPods ?? {};
  for (const name of ['succeeded', 'failed'] as const) {
    checkEach(out, uncounted[name] ?? [], (out, value, i) => {
      const path = `status.uncountedTerminatedPods.${name}[${i}]`;
      const uid = value ?? '';
      if (uid === '') out.push(field.invalid(path, '', 'must not be empty'));
      else if (seen.has(uid)) out.push(field.duplicate(path, uid));
      else seen.add(uid);
    });
  }
}

function changeOf(job: Job, stored: Job): StatusChange {
  const status = job.status ?? {};
  const old = stored.status ?? {};
  return {
    spec: job.spec ?? {},
    status,
    old,
    changed: (...members) => members.some((member) => !semanticEqual(status[member], old[member])),
    turned: (...types) => types.some((type) => isTrue(status, type) !== isTrue(old, type)),
  };
}

const conditionError = (out: Out, detail: string): void => {
  out.push(withoutValue(conditionPath, detail));
};

function completionErrors(out: Out, change: StatusChange): void {
  const { status, changed, turned } = change;
  const path = 'status.completionTime';
  const { completionTime, startTime } = status;
  const complete = isTrue(status, 'Complete');
  if (turned('Complete', 'Failed') && complete && isTrue(status, 'Failed')) {
    conditionError(out, 'cannot set Complete=True and Failed=true conditions');
  }
  if (turned('Complete', 'FailureTarget') && complete && isTrue(status, 'FailureTarget')) {
    conditionError(out, 'cannot set Complete=True and FailureTarget=true conditions');
  }
  const completionChanged = changed('completionTime') || turned('Complete');
  if (completionChanged && isSet(completionTime) && !complete) {
    const detail = 'cannot set completionTime when there is no Complete=True condition';
    out.push(field.invalid(path, completionTime, detail));
  }
  if (completionChanged && !isSet(completionTime) && complete) {
    out.push(field.required(path, 'completionTime is required for Complete jobs'));
  }
  if (changed('startTime', 'completionTime') && isBefore(completionTime, startTime)) {
    out.push(field.invalid(path, completionTime, 'must be equal to or after `startTime`'));
  }
  if ((turned('Failed') || changed('failedIndexes')) && isTrue(status, 'Failed') && !isTrue(status, 'FailureTarget')) {
    conditionError(out, 'cannot set Failed=True condition without the FailureTarget=true condition');
  }
  if (turned('Complete', 'SuccessCriteriaMet') && complete && !isTrue(status, 'SuccessCriteriaMet')) {
    conditionError(out, 'cannot set Complete=True condition without the SuccessCriteriaMet=true condition');
  }
}

/** Checks what a finished job must not have, and what it must have. */
function finishedErrors(out: Out, change: StatusChange): void {
  const { spec, status, changed } = change;
  if (!isFinished(status)) return;
  const finished = becameFinished(change);
  const active = status.active ?? 0;
  if ((finished || changed('active')) && active > 0) {
    out.push(field.invalid('status.active', active, 'active>0 is invalid for finished job'));
  }
  const empty = spec.suspend === true && isSet(spec.completions) && (spec.completions ?? 0) === 0;
  if ((finished || changed('startTime')) && !isSet(status.startTime) && !empty) {
    out.push(field.required('status.startTime', 'startTime is required for finished job'));
  }
  const { uncountedTerminatedPods } = status;
  const uncounted = uncountedTerminatedPods ?? {};
  const some = (uncounted.succeeded ?? []).length > 0 || (uncounted.failed ?? []).length > 0;
  if ((finished || changed('uncountedTerminatedPods')) && some) {
    const shown = goValue('batch.v1.UncountedTerminatedPods', uncountedTerminatedPods);
    out.push(field.invalid('status.uncountedTerminatedPods', shown, 'must be empty for finished job'));
  }
}

function indexErrors(out: Out, { spec, status, changed }: StatusChange): void {
  const completions = isSet(spec.completions) ? (spec.completions ?? 0) : undefined;
  const format = (name: 'completedIndexes' | 'failedIndexes'): void => {
    const value = status[name];
    if (completions === undefined || !isSet(value) || !changed(name)) return;
    const intervals = parseIndexes(value, completions);
    if (typeof intervals !== 'string') return;
    out.push(field.invalid(`status.${name}`, value, `error parsing ${name}: ${intervals}`));
  };
  const completed = status.completedIndexes ?? '';
  const { failedIndexes } = status;
  format('completedIndexes');
  if (isSet(spec.backoffLimitPerIndex)) format('failedIndexes');
  if (changed('completedIndexes') && completed !== '' && spec.completionMode !== 'Indexed') {
    const detail = 'cannot set non-empty completedIndexes when non-indexed completion mode';
    out.push(field.invalid('status.completedIndexes', completed, detail));
  }
  if (changed('failedIndexes') && isSet(failedIndexes) && !isSet(spec.backoffLimitPerIndex)) {
    const detail = 'cannot set non-null failedIndexes when backoffLimitPerIndex is null';
    out.push(field.invalid('status.failedIndexes', failedIndexes, detail));
  }
  if (completions === undefined || !isSet(failedIndexes) || !changed('failedIndexes', 'completedIndexes')) return;
  const overlap = firstOverlap(completed, failedIndexes ?? '', completions);
  if (overlap !== undefined) {
    const detail = `failedIndexes and completedIndexes overlap at index: ${overlap}`;
    out.push(field.invalid('status.failedIndexes', failedIndexes, detail));
  }
}

function podCountErrors(out: Out, change: StatusChange): void {
  const { status, changed } = change;
  const terminating = status.terminating ?? 0;
  if ((becameFinished(change) || changed('terminating')) && isFinished(status) && terminating > 0) {
    out.push(field.invalid('status.terminating', terminating, 'terminating>0 is invalid for finished job'));
  }
  if (changed('ready', 'active') && isSet(status.ready) && (status.ready ?? 0) > (status.active ?? 0)) {
    out.push(field.invalid('status.ready', status.ready ?? 0, 'cannot set more ready pods than active'));
  }
}

/** These rules check the whole status, even if it has not changed. */
function successErrors(out: Out, { spec, status }: StatusChange): void {
  const met = isTrue(status, 'SuccessCriteriaMet');
  if (met && isTrue(status, 'Failed')) {
    conditionError(out, 'cannot set SuccessCriteriaMet=True and Failed=true conditions');
  }
  if (met && isTrue(status, 'FailureTarget')) {
    conditionError(out, 'cannot set SuccessCriteriaMet=True and FailureTarget=true conditions');
  }
  if (isSet(spec.successPolicy) && !met && isTrue(status, 'Complete')) {
    conditionError(out, 'cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True');
  }
}

/** Checks that terminal conditions and counters are not reversed. */
function transitionErrors(out: Out, { spec, status, old, changed }: StatusChange): void {
  for (const type of ['Failed', 'Complete', 'FailureTarget'] as const) {
    if (isTrue(old, type) && !isTrue(status, type)) {
      conditionError(out, `cannot disable the terminal ${type}=True condition`);
    }
  }
  if ((status.failed ?? 0) < (old.failed ?? 0)) {
    out.push(field.invalid('status.failed', status.failed ?? 0, 'cannot decrease the failed counter'));
  }
  const elastic = spec.completionMode === 'Indexed' && semanticEqual(spec.completions, spec.parallelism);
  if ((status.succeeded ?? 0) < (old.succeeded ?? 0) && !elastic) {
    out.push(field.invalid('status.succeeded', status.succeeded ?? 0, 'cannot decrease the succeeded counter'));
  }
  if (isSet(old.completionTime) && isSet(status.completionTime)) {
    immutable(out, 'status.completionTime', status.completionTime, old.completionTime);
  }
  const resuming = isTrue(old, 'Suspended') && findCondition(status.conditions, 'Suspended')?.status === 'False';
  if (isSet(old.startTime) && changed('startTime') && spec.suspend !== true && !resuming) {
    const detail = 'field is immutable for unsuspended job once set';
    out.push(field.invalid('status.startTime', status.startTime ?? null, detail));
  }
  const met = isTrue(status, 'SuccessCriteriaMet');
  const wasMet = isTrue(old, 'SuccessCriteriaMet');
  if (wasMet && !met) conditionError(out, 'cannot disable the SuccessCriteriaMet=True condition');
  if (isTrue(old, 'Complete') && !wasMet && met) {
    conditionError(out, 'cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions');
  }
}

/** Checks the status from the job controller. Most rules apply only to changed values, so that stored values never block an update. */
export function validateJobStatus(job: Job, stored: Job): FieldError[] {
  return collect((out) => {
    const change = changeOf(job, stored);
    nonNegatives(out, 'status', change.status, ['active', 'succeeded', 'failed', 'ready', 'terminating']);
    uncountedErrors(out, change.status);
    completionErrors(out, change);
    finishedErrors(out, change);
    indexErrors(out, change);
    podCountErrors(out, change);
    successErrors(out, change);
    transitionErrors(out, change);
  });
}
