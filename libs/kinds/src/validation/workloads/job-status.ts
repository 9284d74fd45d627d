import { field, type FieldError, type KubeObject } from '@apichain/meta';
import { condition, integer, isSet, list, type Plain, record, text } from '../../fields.ts';
import { semanticEqual } from '../../strategies/equality.ts';
import { isBefore } from '../common/formats.ts';
import { goValue } from '../common/go-value.ts';
import { collect, immutable, nonNegatives, type Out } from '../common/rules.ts';
import { firstOverlap, parseIndexes } from './indexes.ts';

const isTrue = (status: Plain, type: string): boolean => condition(status.conditions, type)?.status === 'True';
const isFinished = (status: Plain): boolean => isTrue(status, 'Complete') || isTrue(status, 'Failed');

const conditionPath = 'status.conditions';
const withoutValue = (path: string, detail: string): FieldError => ({
  reason: 'FieldValueInvalid',
  field: path,
  message: `Invalid value: ${detail}`,
});

function uncountedErrors(out: Out, status: Plain): void {
  const seen = new Set<string>();
  const uncounted = record(status.uncountedTerminatedPods);
  for (const name of ['succeeded', 'failed']) {
    for (const [i, value] of list(uncounted[name]).entries()) {
      const path = `status.uncountedTerminatedPods.${name}[${i}]`;
      const uid = text(value);
      if (uid === '') out.push(field.invalid(path, '', 'must not be empty'));
      else if (seen.has(uid)) out.push(field.duplicate(path, uid));
      else seen.add(uid);
    }
  }
}

/** Conditions that exclude or need each other, as far as this update changes them. */
function conditionErrors(out: Out, job: KubeObject, status: Plain, old: Plain): void {
  const says = (detail: string) => out.push(withoutValue(conditionPath, detail));
  const clash = (a: string, b: string) => isTrue(status, a) && isTrue(status, b);
  for (const type of ['Failed', 'Complete', 'FailureTarget']) {
    if (isTrue(old, type) && !isTrue(status, type)) says(`cannot disable the terminal ${type}=True condition`);
  }
  if (isTrue(old, 'SuccessCriteriaMet') && !isTrue(status, 'SuccessCriteriaMet')) {
    says('cannot disable the SuccessCriteriaMet=True condition');
  }
  const completing = isTrue(status, 'Complete') && !isTrue(old, 'Complete');
  const failing = isTrue(status, 'Failed') && !isTrue(old, 'Failed');
  if (clash('Complete', 'Failed')) says('cannot set Complete=True and Failed=true conditions');
  if (clash('Complete', 'FailureTarget')) says('cannot set Complete=True and FailureTarget=true conditions');
  if (failing && !isTrue(status, 'FailureTarget')) {
    says('cannot set Failed=True condition without the FailureTarget=true condition');
  }
  if (completing && !isTrue(status, 'SuccessCriteriaMet')) {
    says('cannot set Complete=True condition without the SuccessCriteriaMet=true condition');
  }
  successErrors(job, status, old, says);
}

function successErrors(job: KubeObject, status: Plain, old: Plain, says: (detail: string) => void): void {
  const met = isTrue(status, 'SuccessCriteriaMet');
  if (met && isTrue(status, 'Failed')) says('cannot set SuccessCriteriaMet=True and Failed=true conditions');
  if (met && isTrue(status, 'FailureTarget')) {
    says('cannot set SuccessCriteriaMet=True and FailureTarget=true conditions');
  }
  const hasPolicy = isSet(record(job.spec).successPolicy);
  if (hasPolicy && !met && isTrue(status, 'Complete') && !isTrue(old, 'Complete')) {
    says('cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True');
  }
  if (met && !isTrue(old, 'SuccessCriteriaMet') && isTrue(old, 'Complete')) {
    says('cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions');
  }
}

function completionTimeErrors(out: Out, status: Plain, old: Plain): void {
  const path = 'status.completionTime';
  const { completionTime, startTime } = status;
  const complete = isTrue(status, 'Complete');
  const changed = completionTime !== old.completionTime || complete !== isTrue(old, 'Complete');
  if (changed && isSet(completionTime) && !complete) {
    const detail = 'cannot set completionTime when there is no Complete=True condition';
    out.push(field.invalid(path, completionTime, detail));
  }
  if (changed && !isSet(completionTime) && complete) {
    out.push(field.required(path, 'completionTime is required for Complete jobs'));
  }
  if (changed && isBefore(completionTime, startTime)) {
    out.push(field.invalid(path, completionTime, 'must be equal to or after `startTime`'));
  }
  if (isSet(old.completionTime) && isSet(completionTime)) {
    immutable(out, path, completionTime, old.completionTime);
  }
}

function startTimeErrors(out: Out, job: KubeObject, status: Plain, old: Plain): void {
  const path = 'status.startTime';
  const suspended = record(job.spec).suspend === true;
  const becameFinished = isFinished(status) && !isFinished(old);
  const empty = suspended && integer(record(job.spec).completions) === 0;
  if (becameFinished && !isSet(status.startTime) && !empty) {
    out.push(field.required(path, 'startTime is required for finished job'));
  }
  const resuming = isTrue(old, 'Suspended') && !isTrue(status, 'Suspended');
  if (isSet(old.startTime) && status.startTime !== old.startTime && !suspended && !resuming) {
    const detail = 'field is immutable for unsuspended job once set';
    out.push(field.invalid(path, status.startTime ?? null, detail));
  }
}

/** What a finished job no longer has. */
function finishedErrors(out: Out, status: Plain, old: Plain): void {
  const becameFinished = isFinished(status) && !isFinished(old);
  for (const name of ['active', 'terminating']) {
    const changed = integer(status[name]) !== integer(old[name]) || becameFinished;
    if (changed && isFinished(status) && integer(status[name]) > 0) {
      out.push(field.invalid(`status.${name}`, integer(status[name]), `${name}>0 is invalid for finished job`));
    }
  }
  const readyChanged = status.ready !== old.ready || status.active !== old.active;
  if (isSet(status.ready) && readyChanged && integer(status.ready) > integer(status.active)) {
    out.push(field.invalid('status.ready', integer(status.ready), 'cannot set more ready pods than active'));
  }
  const uncounted = record(status.uncountedTerminatedPods);
  if (isFinished(status) && (list(uncounted.succeeded).length > 0 || list(uncounted.failed).length > 0)) {
    const shown = goValue('batch.v1.UncountedTerminatedPods', uncounted);
    out.push(field.invalid('status.uncountedTerminatedPods', shown, 'must be empty for finished job'));
  }
}

function indexErrors(out: Out, job: KubeObject, status: Plain): void {
  const spec = record(job.spec);
  const indexed = spec.completionMode === 'Indexed';
  const completions = isSet(spec.completions) ? integer(spec.completions) : 0;
  const parsed = ['completedIndexes', 'failedIndexes'].map((name) => {
    const value = text(status[name]);
    if (!isSet(status[name]) || !indexed) return [];
    const intervals = parseIndexes(value, completions);
    if (typeof intervals !== 'string') return intervals;
    out.push(field.invalid(`status.${name}`, value, `error parsing ${name}: ${intervals}`));
    return [];
  });
  if (text(status.completedIndexes) !== '' && !indexed) {
    const detail = 'cannot set non-empty completedIndexes when non-indexed completion mode';
    out.push(field.invalid('status.completedIndexes', status.completedIndexes, detail));
  }
  if (isSet(status.failedIndexes) && !isSet(spec.backoffLimitPerIndex)) {
    const detail = 'cannot set non-null failedIndexes when backoffLimitPerIndex is null';
    out.push(field.invalid('status.failedIndexes', status.failedIndexes, detail));
  }
  const overlap = firstOverlap(parsed[0] ?? [], parsed[1] ?? []);
  if (overlap !== undefined) {
    const detail = `failedIndexes and completedIndexes overlap at index: ${overlap}`;
    out.push(field.invalid('status.failedIndexes', status.failedIndexes, detail));
  }
}

function counterErrors(out: Out, job: KubeObject, status: Plain, old: Plain): void {
  const spec = record(job.spec);
  if (integer(status.failed) < integer(old.failed)) {
    out.push(field.invalid('status.failed', integer(status.failed), 'cannot decrease the failed counter'));
  }
  const elastic = spec.completionMode === 'Indexed' && integer(spec.completions) === integer(spec.parallelism);
  if (integer(status.succeeded) < integer(old.succeeded) && !elastic) {
    out.push(field.invalid('status.succeeded', integer(status.succeeded), 'cannot decrease the succeeded counter'));
  }
}

/** What the job controller reports; most rules look only at what changes. */
export function validateJobStatus(job: KubeObject, stored: KubeObject): FieldError[] {
  return collect((out) => {
    const status = record(job.status);
    const old = record(stored.status);
    nonNegatives(out, 'status', status, ['active', 'succeeded', 'failed', 'ready', 'terminating']);
    uncountedErrors(out, status);
    if (semanticEqual(status, old)) return;
    completionTimeErrors(out, status, old);
    conditionErrors(out, job, status, old);
    startTimeErrors(out, job, status, old);
    finishedErrors(out, status, old);
    indexErrors(out, job, status);
    counterErrors(out, job, status, old);
  });
}
