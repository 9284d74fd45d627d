import type { CronJob, Job } from '@apichain/api/batch/v1';
import { compareText, findCondition } from '@apichain/meta';
import { milliseconds } from '../timestamps.ts';

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
