import type { CronJob, Job } from '@apichain/api/batch/v1';
import { byController, objectKey, controllerOf } from '@apichain/client';
import { ScheduleError } from '@apichain/go-text';
import { compareText, currentTime } from '@apichain/meta';
import { type ControllerContext, type Running, newEventRecorder } from '../context.ts';
import { controllerParts } from '../controller-parts.ts';
import { jobsResource } from '../job/reconcile.ts';
import { milliseconds } from '../timestamps.ts';
import { PendingWrites } from '../workloads/pending-writes.ts';
import { nextLook } from './missed-times.ts';
import { CronJobReconciliation, cronJobsResource, scheduleOf } from './reconcile.ts';

/**
 * Starts Jobs by the schedules of CronJobs.
 * Source: https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/
 */
export function cronJobController(context: ControllerContext): Running {
  const { client } = context;
  const { queue, enqueue, informer, run } = controllerParts(context, 'cronjob-controller');
  const cronJobs = informer<CronJob>(cronJobsResource);
  const jobs = informer<Job>(jobsResource);
  const jobsOf = jobs.index(byController);
  const events = newEventRecorder(context, 'cronjob-controller');
  const writes = new PendingWrites();

  cronJobs.addHandlers({
    onAdd: enqueue,
    onUpdate: (cronJob, old) => {
      const { schedule, timeZone } = cronJob.spec ?? {};
      if (schedule === old.spec?.schedule && timeZone === old.spec?.timeZone) enqueue(cronJob);
      else rescheduled(cronJob);
    },
    onDelete: (cronJob) => writes.forget(objectKey(cronJob)),
  });
  const enqueueOwner = (job: Job) => {
    const owner = controllerOf(job);
    if (owner?.kind !== 'CronJob') return;
    const key = `${job.metadata.namespace ?? ''}/${owner.name}`;
    if (cronJobs.get(key)?.metadata.uid === owner.uid) queue.add(key);
  };
  jobs.addHandlers({ onAdd: enqueueOwner, onUpdate: enqueueOwner, onDelete: enqueueOwner });

  /** A new schedule does not start what it would have started in the past. */
  function rescheduled(cronJob: CronJob): void {
    try {
      const { metadata, status } = cronJob;
      const last = milliseconds(status?.lastScheduleTime) ?? milliseconds(metadata.creationTimestamp) ?? 0;
      const now = currentTime();
      queue.addAfter(objectKey(cronJob), nextLook(scheduleOf(cronJob), last, now) - now);
    } catch (error) {
      if (!(error instanceof ScheduleError)) throw error;
      const text = `unparseable schedule for cronjob: ${cronJob.spec?.schedule}`;
      events.event(cronJob, 'Warning', 'UnParseableCronJobSchedule', text);
    }
  }

  async function reconcile(key: string): Promise<void> {
    const cronJob = cronJobs.get(key);
    if (cronJob === undefined || !writes.areObserved(key)) return;
    const owned = jobsOf
      .get(cronJob.metadata.uid ?? '')
      .toSorted((a, b) => compareText(a.metadata.name ?? '', b.metadata.name ?? ''));
    const { delayMs, written } = await new CronJobReconciliation(client, events, cronJob).run(owned);
    if (written !== undefined) writes.wrote(cronJob, cronJobs, written);
    if (delayMs !== undefined) queue.addAfter(key, delayMs);
  }

  return run(reconcile);
}
