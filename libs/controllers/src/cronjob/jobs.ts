import type { CronJob, Job } from '@apichain/api/batch/v1';
import { TimeZone } from '@apichain/go-text';
import { deepClone, compareText, findCondition } from '@apichain/meta';
import { timestamp, milliseconds } from '../timestamps.ts';

const timestampAnnotation = 'batch.kubernetes.io/cronjob-scheduled-timestamp';

/** The name of the job that a CronJob starts for a time: the same for each attempt. */
export const jobName = ({ metadata }: CronJob, time: number): string =>
  `${metadata.name ?? ''}-${Math.floor(time / 60_000)}`;

/** The job that a CronJob starts for a time. */
export function jobOf(cronJob: CronJob, time: number): Job {
  const { metadata, spec } = cronJob;
  const template = deepClone(spec?.jobTemplate ?? {});
  const scheduled = localTimestamp(time, spec?.timeZone ?? 'UTC');
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: jobName(cronJob, time),
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      ...(template.metadata?.labels === undefined ? {} : { labels: template.metadata.labels }),
      annotations: { ...template.metadata?.annotations, [timestampAnnotation]: scheduled },
      ownerReferences: [
        {
          apiVersion: 'batch/v1',
          kind: 'CronJob',
          name: metadata.name ?? '',
          uid: metadata.uid ?? '',
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    ...(template.spec === undefined ? {} : { spec: template.spec }),
  };
}

/** A time in RFC 3339 with the offset of the zone: `2026-01-01T09:00:00+01:00`. */
function localTimestamp(time: number, zone: string): string {
  const offset = new TimeZone(zone).offsetAt(time);
  if (offset === 0) return timestamp(time);
  const minutes = Math.trunc(Math.abs(offset) / 60_000);
  const [hour, minute] = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0'));
  return `${timestamp(time + offset).slice(0, -1)}${offset < 0 ? '-' : '+'}${hour}:${minute}`;
}

/** `Complete` or `Failed` for a job that has ended. */
export const endOfJob = ({ status }: Job): 'Complete' | 'Failed' | undefined =>
  (['Complete', 'Failed'] as const).find((type) => findCondition(status?.conditions, type)?.status === 'True');

/** The ended jobs that exceed the history limits of their CronJob, oldest first: those that succeeded, then those that failed. */
export function jobsBeyondHistory({ spec = {} }: CronJob, jobs: readonly Job[]): Job[] {
  const beyond = (end: 'Complete' | 'Failed', limit: number | undefined): Job[] => {
    const ended = jobs.filter((job) => endOfJob(job) === end).sort(compareStart);
    return limit === undefined ? [] : ended.slice(0, Math.max(0, ended.length - limit));
  };
  return [...beyond('Complete', spec.successfulJobsHistoryLimit), ...beyond('Failed', spec.failedJobsHistoryLimit)];
}

/** Jobs that have not started come last. */
function compareStart(left: Job, right: Job): number {
  const [a, b] = [left, right].map(({ status }) => milliseconds(status?.startTime) ?? Infinity);
  if (a === b || a === undefined || b === undefined)
    return compareText(left.metadata.name ?? '', right.metadata.name ?? '');
  return a < b ? -1 : 1;
}
