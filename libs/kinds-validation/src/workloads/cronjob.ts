import type { CronJob, CronJobSpec } from '@apichain/api/batch/v1';
import { isTimeZone, scheduleError } from '@apichain/go-text';
import { field, type FieldError } from '@apichain/meta';
import { isSet } from '@apichain/kinds';
import { collect, nonNegative, type Out, requiredChoice } from '../common/rules.ts';
import { shownSelector } from '../common/selectors.ts';
import type { Capabilities } from '../pod/context.ts';
import { jobSpecErrors } from './job-spec.ts';

const longestName = 52;
const zonePart = /^[A-Za-z.\-_0-9+]{1,14}$/;

function scheduleErrors(out: Out, spec: CronJobSpec, old: CronJobSpec | undefined): void {
  const path = 'spec.schedule';
  const schedule = spec.schedule ?? '';
  if (schedule === '') {
    out.push(field.required(path));
    return;
  }
  const reason = scheduleError(schedule);
  if (reason !== undefined) out.push(field.invalid(path, schedule, reason));
  if (!schedule.includes('TZ')) return;
  if (!(old?.schedule ?? '').includes('TZ')) {
    out.push(field.invalid(path, schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'));
  } else if (isSet(spec.timeZone)) {
    out.push(field.invalid(path, schedule, 'cannot use both timeZone field and TZ or CRON_TZ in schedule'));
  }
}

function timeZoneErrors(out: Out, spec: CronJobSpec, old: CronJobSpec | undefined): void {
  if (!isSet(spec.timeZone) || spec.timeZone === old?.timeZone) return;
  const path = 'spec.timeZone';
  const zone = spec.timeZone ?? '';
  const unknown = () => out.push(field.invalid(path, zone, `unknown time zone ${zone}`));
  if (zone === '') {
    out.push(field.invalid(path, zone, 'timeZone must be nil or non-empty string'));
    return;
  }
  const parts = zone.split('/');
  if (parts.some((part) => part === '.' || part === '..' || part.startsWith('-') || !zonePart.test(part))) {
    unknown();
    return;
  }
  if (zone.toLowerCase() === 'local') {
    const detail = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';
    out.push(field.invalid(path, zone, detail));
  }
  // Go rejects names that could lead out of the zone directory without looking them up.
  if (zone.includes('..')) {
    out.push(field.invalid(path, zone, 'time: invalid location name'));
    return;
  }
  // `Local` is Go's name for the time zone of the machine.
  if (zone !== 'Local' && !isTimeZone(zone)) unknown();
}

function jobTemplateErrors(
  out: Out,
  spec: CronJobSpec,
  old: CronJobSpec | undefined,
  capabilities: Capabilities,
): void {
  const path = 'spec.jobTemplate.spec';
  const job = spec.jobTemplate?.spec ?? {};
  const stored = old === undefined ? undefined : (old.jobTemplate?.spec ?? {});
  jobSpecErrors(out, path, job, stored, capabilities);
  if (isSet(job.selector)) {
    out.push(field.invalid(`${path}.selector`, shownSelector(job.selector), '`selector` will be auto-generated'));
  }
  if (job.manualSelector === true) {
    out.push(field.notSupported(`${path}.manualSelector`, true, ['nil', 'false']));
  }
}

function cronJobErrors(out: Out, cronJob: CronJob, old: CronJob | undefined, capabilities: Capabilities): void {
  const spec = cronJob.spec ?? {};
  const stored = old === undefined ? undefined : (old.spec ?? {});
  scheduleErrors(out, spec, stored);
  nonNegative(out, 'spec.startingDeadlineSeconds', spec.startingDeadlineSeconds);
  timeZoneErrors(out, spec, stored);
  requiredChoice(out, 'spec.concurrencyPolicy', spec.concurrencyPolicy, ['Allow', 'Forbid', 'Replace']);
  jobTemplateErrors(out, spec, stored, capabilities);
  for (const name of ['successfulJobsHistoryLimit', 'failedJobsHistoryLimit'] as const) {
    nonNegative(out, `spec.${name}`, spec[name]);
  }
}

/** https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ */
export function validateCronJob(cronJob: CronJob, _old: undefined, capabilities: Capabilities): FieldError[] {
  return collect((out) => {
    cronJobErrors(out, cronJob, undefined, capabilities);
    const name = cronJob.metadata.name ?? '';
    // The names of jobs consist of the name of their CronJob and a time.
    if (name.length > longestName) {
      out.push(field.invalid('metadata.name', name, `must be no more than ${longestName} characters`));
    }
  });
}

export const validateCronJobUpdate = (cronJob: CronJob, old: CronJob, capabilities: Capabilities): FieldError[] =>
  collect((out) => cronJobErrors(out, cronJob, old, capabilities));
