import type { CronJob, CronJobStatus, Job } from '@apichain/api/batch/v1';
import type { ObjectReference } from '@apichain/api/core/v1';
import { type EventRecorder, type RestClient, controllerOf } from '@apichain/client';
import { ScheduleError, goQuote, isTimeZone, parseSchedule, type CronSchedule } from '@apichain/go-text';
import {
  asError,
  currentTime,
  deepClone,
  errorMessage,
  integer,
  isStatusError,
  isNamespaceTerminating,
} from '@apichain/meta';

import { isFinished } from '../job/outcome.ts';
import { jobsResource } from '../job/reconcile.ts';
import { milliseconds, timestamp } from '../timestamps.ts';
import { endOfJob, jobsBeyondHistory, jobName, jobOf } from './jobs.ts';
import { type DueTime, NeverDueError, dueTime } from './missed-times.ts';

export const cronJobsResource = { group: 'batch', version: 'v1', resource: 'cronjobs' } as const;

/** Brings a CronJob up to date: forgets jobs that have ended, deletes those beyond the history limits, and starts the job that is due. */
export class CronJobReconciliation {
  readonly #client: RestClient;
  readonly #events: EventRecorder;
  readonly #cronJob: CronJob;
  readonly #status: CronJobStatus;
  readonly #now = currentTime();
  #changed = false;

  constructor(client: RestClient, events: EventRecorder, cronJob: CronJob) {
    this.#client = client;
    this.#events = events;
    this.#cronJob = deepClone(cronJob);
    this.#status = this.#cronJob.status ??= {};
  }

  /** `jobs` are those of the CronJob. Returns after how many milliseconds to look again, and the CronJob if its status was written. */
  async run(
    jobs: readonly Job[],
  ): Promise<{ readonly delayMs: number | undefined; readonly written: CronJob | undefined }> {
    for (const job of jobsBeyondHistory(this.#cronJob, jobs)) if (await this.#delete(job)) this.#changed = true;
    let delayMs: number | undefined;
    let failure: unknown;
    try {
      await this.#followJobs(jobs);
      delayMs = await this.#startDueJob();
    } catch (error) {
      failure = error;
    }
    const written = this.#changed ? await this.#writeStatus() : undefined;
    if (failure !== undefined) throw asError(failure);
    return { delayMs, written };
  }

  async #followJobs(jobs: readonly Job[]): Promise<void> {
    const activeUids = new Set(this.#active.map(({ uid }) => uid));
    for (const job of jobs) {
      const isActive = activeUids.has(job.metadata.uid);
      if (isFinished(job)) this.#noteEnd(job, isActive);
      else if (!isActive) await this.#noteUnexpected(job);
    }
    const known = new Set(jobs.map(({ metadata }) => metadata.uid));
    for (const active of this.#active) {
      if (known.has(active.uid) || !(await this.#isGone(active))) continue;
      this.#record('Normal', 'MissingJob', `Active job went missing: ${active.name}`);
      this.#forget(active.uid);
    }
  }

  #noteEnd(job: Job, isActive: boolean): void {
    const end = endOfJob(job);
    if (isActive) {
      this.#forget(job.metadata.uid);
      this.#record('Normal', 'SawCompletedJob', `Saw completed job: ${job.metadata.name}, condition: ${end}`);
    }
    const completion = job.status?.completionTime;
    if (end !== 'Complete' || completion === undefined) return;
    if ((milliseconds(this.#status.lastSuccessfulTime) ?? -Infinity) >= (milliseconds(completion) ?? 0)) return;
    this.#status.lastSuccessfulTime = completion;
    this.#changed = true;
  }

  async #noteUnexpected(job: Job): Promise<void> {
    // The informer of CronJobs may be behind that of Jobs.
    const { namespace = '', name = '' } = this.#cronJob.metadata;
    const live = await this.#client.get<CronJob>({ ...cronJobsResource, namespace }, name);
    if (live.status?.active?.some(({ uid }) => uid === job.metadata.uid) === true) return;
    const text = `Saw a job that the controller did not create or forgot: ${job.metadata.name}`;
    this.#record('Warning', 'UnexpectedJob', text);
  }

  async #isGone({ namespace = '', name = '' }: ObjectReference): Promise<boolean> {
    try {
      await this.#client.get({ ...jobsResource, namespace }, name);
      return false;
    } catch (error) {
      if (isStatusError(error, 'NotFound')) return true;
      throw error;
    }
  }

  /** Starts the job that is due. Returns after how many milliseconds to look again; undefined if nothing will ever be due. */
  async #startDueJob(): Promise<number | undefined> {
    const { metadata, spec = {} } = this.#cronJob;
    if (metadata.deletionTimestamp !== undefined) return undefined;
    const { timeZone } = spec;
    if (timeZone !== undefined && !isTimeZone(timeZone)) {
      const text = `invalid timeZone: ${goQuote(timeZone)}: unknown time zone ${timeZone}`;
      this.#record('Warning', 'UnknownTimeZone', text);
      return undefined;
    }
    if (spec.suspend === true) return undefined;
    const schedule = this.#schedule();
    const due = schedule === undefined ? undefined : this.#dueTime(schedule);
    if (due === undefined) return undefined;
    if (due.due !== undefined && this.#mayStart(due.due)) {
      await this.#start(due.due);
      // The time is started now, so the next look is for the one after it.
      return schedule === undefined ? undefined : dueTime(this.#cronJob, schedule, this.#now).lookAgain - this.#now;
    }
    return due.lookAgain - this.#now;
  }

  #schedule(): CronSchedule | undefined {
    const { schedule = '' } = this.#cronJob.spec ?? {};
    if (schedule.includes('TZ')) {
      const page = 'https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/';
      const text = `CRON_TZ or TZ used in schedule ${goQuote(schedule)} is not officially supported, see ${page} for more details`;
      this.#record('Warning', 'UnsupportedSchedule', text);
    }
    try {
      return scheduleOf(this.#cronJob);
    } catch (error) {
      if (!(error instanceof ScheduleError)) throw error;
      const text = `unparseable schedule: ${goQuote(schedule)} : ${error.message}`;
      this.#record('Warning', 'UnparseableSchedule', text);
      return undefined;
    }
  }

  #dueTime(schedule: CronSchedule): DueTime | undefined {
    try {
      const due = dueTime(this.#cronJob, schedule, this.#now);
      if (due.due !== undefined && due.missedMany) {
        const advice = 'Set or decrease .spec.startingDeadlineSeconds or check clock skew';
        this.#record('Warning', 'TooManyMissedTimes', `too many missed start times. ${advice}`);
      }
      return due;
    } catch (error) {
      if (!(error instanceof NeverDueError)) throw error;
      const text = `invalid schedule: ${this.#cronJob.spec?.schedule} : ${error.message}`;
      this.#record('Warning', 'InvalidSchedule', text);
      return undefined;
    }
  }

  #mayStart(time: number): boolean {
    const { startingDeadlineSeconds, concurrencyPolicy } = this.#cronJob.spec ?? {};
    if (startingDeadlineSeconds !== undefined && time + integer(startingDeadlineSeconds) * 1_000 < this.#now) {
      this.#record('Warning', 'MissSchedule', `Missed scheduled time to start a job: ${rfc1123(time)}`);
      return false;
    }
    const name = jobName(this.#cronJob, time);
    if (this.#active.some((active) => active.name === name)) return false;
    if (milliseconds(this.#status.lastScheduleTime) === time) return false;
    if (concurrencyPolicy !== 'Forbid' || this.#active.length === 0) return true;
    const text = 'Not starting job because prior execution is running and concurrency policy is Forbid';
    this.#record('Normal', 'JobAlreadyActive', text);
    return false;
  }

  async #start(time: number): Promise<void> {
    if (this.#cronJob.spec?.concurrencyPolicy === 'Replace') await this.#deleteActive();
    const created = await this.#create(jobOf(this.#cronJob, time));
    if (created === undefined) return;
    const { namespace = '', name = '', uid = '', resourceVersion = '' } = created.metadata;
    const reference = { kind: 'Job', namespace, name, uid, apiVersion: 'batch/v1', resourceVersion };
    this.#status.active = [...this.#active, reference];
    this.#status.lastScheduleTime = timestamp(time);
    this.#changed = true;
  }

  async #deleteActive(): Promise<void> {
    for (const { namespace = '', name = '' } of this.#active) {
      let job: Job;
      try {
        job = await this.#client.get<Job>({ ...jobsResource, namespace }, name);
      } catch (error) {
        this.#record('Warning', 'FailedGet', `Get job: ${errorMessage(error)}`);
        throw error;
      }
      if (!(await this.#delete(job))) throw new Error(`could not replace job ${namespace}/${name}`);
      this.#changed = true;
    }
  }

  /** Creates the job of a time, or finds the one that an earlier attempt has created and not entered in the status. */
  async #create(job: Job): Promise<Job | undefined> {
    const { namespace = '', name = '' } = job.metadata;
    const ref = { ...jobsResource, namespace };
    try {
      const created = await this.#client.create<Job>(ref, job);
      this.#record('Normal', 'SuccessfulCreate', `Created job ${name}`);
      return created;
    } catch (error) {
      if (isStatusError(error, 'AlreadyExists')) {
        const live = await this.#client.get<Job>(ref, name);
        const isOurs = controllerOf(live)?.uid === this.#cronJob.metadata.uid;
        return isOurs && !this.#active.some(({ uid }) => uid === live.metadata.uid) ? live : undefined;
      }
      if (!isNamespaceTerminating(error))
        this.#record('Warning', 'FailedCreate', `Error creating job: ${errorMessage(error)}`);
      throw error;
    }
  }

  async #delete({ metadata: { namespace = '', name = '', uid } }: Job): Promise<boolean> {
    try {
      await this.#client.delete({ ...jobsResource, namespace }, name, { propagationPolicy: 'Background' });
    } catch (error) {
      this.#record('Warning', 'FailedDelete', `Deleted job: ${errorMessage(error)}`);
      return false;
    }
    this.#forget(uid);
    this.#record('Normal', 'SuccessfulDelete', `Deleted job ${name}`);
    return true;
  }

  get #active(): readonly ObjectReference[] {
    return this.#status.active ?? [];
  }

  #forget(job: string | undefined): void {
    const left = this.#active.filter(({ uid }) => uid !== job);
    if (left.length === this.#active.length) return;
    this.#status.active = left;
    this.#changed = true;
  }

  #record(type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#events.event(this.#cronJob, type, reason, message);
  }

  #writeStatus(): Promise<CronJob> {
    const { namespace = '' } = this.#cronJob.metadata;
    return this.#client.update<CronJob>({ ...cronJobsResource, namespace }, this.#cronJob, { subresource: 'status' });
  }
}

/** The schedule of a CronJob in its time zone. Throws ScheduleError. */
export function scheduleOf({ spec }: CronJob): CronSchedule {
  const { schedule = '', timeZone } = spec ?? {};
  const isZoned = timeZone !== undefined && !schedule.includes('TZ') && isTimeZone(timeZone);
  return parseSchedule(isZoned ? `TZ=${timeZone} ${schedule}` : schedule);
}

/** `Fri, 02 Jan 2026 15:04:05 +0000`, as Go's layout RFC1123Z. */
const rfc1123 = (time: number): string => new Date(time).toUTCString().replace(/GMT$/, '+0000');
