import type { Job, JobStatus } from '@apichain/api/batch/v1';
import type { Pod } from '@apichain/api/core/v1';
import { type EventRecorder, type Informer, type RestClient, controllerReference } from '@apichain/client';
import { asError, assign, currentTime, deepClone, isStatusError, isNamespaceTerminating } from '@apichain/meta';
import { forEachLimited } from '../context.ts';
import { timestamp } from '../timestamps.ts';
import type { Expectations } from '../workloads/expectations.ts';
import type { PendingWrites } from '../workloads/pending-writes.ts';
import { createPod, deletePod, podFromTemplate } from '../workloads/pod-control.ts';
import { isPodReady } from '../workloads/pod-status.ts';
import { pods as podsOf } from '../resources.ts';
import { slowStart } from '../workloads/slow-start.ts';
import { type Ending, countEndedPods, moveToCounters } from './accounting.ts';
import { type FailureRecord, noFailures, recordEnds } from './failure-backoff.ts';
import { type JobView, hasTrackingFinalizer, trackingFinalizer, viewJob } from './job-view.ts';
import { type Outcome, completionsReached, isSuspended, outcomeOf, newCondition, setCondition } from './outcome.ts';
import { type PodPlan, planPods } from './pod-plan.ts';
import { podTemplateOf } from './pod-template.ts';

export const jobsResource = { group: 'batch', version: 'v1', resource: 'jobs' } as const;

/** Who writes pods, and who records it. */
export interface PodControl {
  readonly client: RestClient;
  readonly recorder: EventRecorder;
}

/** Pods are written this many at a time. */
const writesAtOnce = 20;
/** The shortest wait before failed pods are replaced. */
const shortestWaitMs = 1_000;

/** What the job controller knows beyond its informers. */
export interface JobMemory {
  readonly writes: PendingWrites;
  readonly jobs: Informer<Job>;
  readonly expected: Expectations;
  /** Failures by the key of the job. */
  readonly failures: Map<string, FailureRecord>;
  /** Pods whose finalizer has been removed, which the informer may not show yet. */
  readonly released: Set<string>;
  /** Pods whose deletion has been requested, which the informer may not show yet. */
  readonly deleted: Set<string>;
}

/** How many pods of a job are in which state after what was done. */
interface Counts {
  active: number;
  ready: number;
  terminating: number;
}

/**
 * Brings a job one step further: creates or deletes its pods, counts those that have ended, and sets its conditions. `pods` are the pods of the job.
 * `lookAgain` is called when something is due later.
 */
export class JobReconciliation {
  readonly #control: PodControl;
  readonly #memory: JobMemory;
  readonly #lookAgain: (delayMs: number) => void;
  readonly #key: string;
  readonly #view: JobView;
  readonly #status: JobStatus;
  readonly #counts: Counts;
  readonly #now = currentTime();
  #job: Job;

  constructor(
    control: PodControl,
    memory: JobMemory,
    lookAgain: (delayMs: number) => void,
    { key, job, pods }: { readonly key: string; readonly job: Job; readonly pods: readonly Pod[] },
  ) {
    this.#control = control;
    this.#memory = memory;
    this.#lookAgain = lookAgain;
    this.#key = key;
    this.#job = deepClone(job);
    const status = (this.#job.status ??= {});
    status.uncountedTerminatedPods ??= {};
    if (status.startTime === undefined && !isSuspended(this.#job.spec ?? {})) status.startTime = timestamp(this.#now);
    this.#status = status;
    this.#view = viewJob(
      this.#job,
      pods.map((pod) => this.#asDeleted(pod)),
      memory.released,
    );
    const { active, terminating } = this.#view;
    this.#counts = { active: active.length, ready: active.filter(isPodReady).length, terminating };
  }

  async run(): Promise<void> {
    const { failures, expected } = this.#memory;
    const { newlySucceeded, newlyFailed } = this.#view;
    const record = recordEnds(failures.get(this.#key) ?? noFailures, newlySucceeded, newlyFailed);
    const isComplete = expected.pendingMs(this.#key) === 0;
    let outcome = outcomeOf(this.#view, this.#now);
    let suspensionChanged = false;
    let podError: unknown;
    if (outcome !== undefined) {
      const { active } = this.#view;
      const result = await this.#delete(active, false);
      podError = result.error;
      // The job is not declared finished while there may be pods that still run.
      if (result.deleted !== active.length || !isComplete) outcome = undefined;
    } else {
      const manages = isComplete && this.#job.metadata.deletionTimestamp === undefined;
      if (manages) podError = await this.#carryOut(planPods(this.#view, record, this.#now));
      if (this.#isComplete()) outcome = completionsReached;
      else if (manages) suspensionChanged = this.#noteSuspension();
    }
    await this.#count(outcome, suspensionChanged, record);
    if (podError !== undefined) throw asError(podError);
  }

  #asDeleted(pod: Pod): Pod {
    if (pod.metadata.deletionTimestamp !== undefined || !this.#memory.deleted.has(pod.metadata.uid ?? '')) return pod;
    return { ...pod, metadata: { ...pod.metadata, deletionTimestamp: timestamp(this.#now) } };
  }

  /** Returns the first error. */
  async #carryOut(plan: PodPlan): Promise<unknown> {
    switch (plan.action) {
      case 'none':
        return undefined;
      case 'delete':
        return (await this.#delete(plan.pods, true)).error;
      case 'wait':
        this.#lookAgain(Math.max(plan.delayMs, shortestWaitMs));
        // kube-controller-manager shows no active pods meanwhile.
        this.#counts.active = 0;
        return undefined;
      case 'create':
        return this.#create(plan.indexes);
    }
  }

  async #create(indexes: readonly (number | undefined)[]): Promise<unknown> {
    const { expected } = this.#memory;
    expected.expect(this.#key, indexes.length, []);
    let attempted = 0;
    const { succeeded, error } = await slowStart(indexes.length, async (position) => {
      attempted++;
      try {
        await createPod(this.#control, this.#podOf(indexes[position]), this.#job);
      } catch (failure) {
        expected.creationObserved(this.#key);
        throw failure;
      }
    });
    expected.creationObserved(this.#key, indexes.length - attempted);
    this.#counts.active += succeeded;
    return isNamespaceTerminating(error) ? undefined : error;
  }

  #podOf(index: number | undefined): Pod {
    const { template, generateName } = podTemplateOf(this.#job, index, this.#view.indexes);
    const pod = podFromTemplate(template, this.#job, controllerReference(this.#job, this.#job));
    if (generateName !== undefined) pod.metadata.generateName = generateName;
    return pod;
  }

  async #delete(pods: readonly Pod[], release: boolean): Promise<{ deleted: number; error: unknown }> {
    const { deleted } = this.#memory;
    const counts = this.#counts;
    let count = 0;
    let error: unknown;
    await forEachLimited(pods, writesAtOnce, async (pod) => {
      const { uid = '' } = pod.metadata;
      deleted.add(uid);
      try {
        if (release && hasTrackingFinalizer(pod)) await this.#release(pod);
        await deletePod(this.#control, pod, this.#job).catch((failure: unknown) => {
          if (!isStatusError(failure, 'NotFound')) throw failure;
          deleted.delete(uid);
        });
        count++;
        if (isPodReady(pod)) counts.ready--;
      } catch (failure) {
        deleted.delete(uid);
        error ??= failure;
      }
    });
    counts.active -= count;
    counts.terminating += count;
    return { deleted: count, error };
  }

  #isComplete(): boolean {
    const { succeeded, spec } = this.#view;
    if (this.#counts.active !== 0) return false;
    return spec.completions === undefined ? succeeded > 0 : succeeded >= spec.completions;
  }

  /** Returns whether the job has been suspended or resumed. */
  #noteSuspension(): boolean {
    const { recorder } = this.#control;
    const conditions = (this.#status.conditions ??= []);
    const because = (reason: string, message: string) => ({ type: 'Suspended', reason, message });
    if (isSuspended(this.#view.spec)) {
      const condition = newCondition(because('JobSuspended', 'Job suspended'), this.#now);
      if (!setCondition(conditions, condition)) return false;
      recorder.event(this.#job, 'Normal', 'Suspended', 'Job suspended');
      delete this.#status.startTime;
      return true;
    }
    const condition = newCondition(because('JobResumed', 'Job resumed'), this.#now, 'False');
    if (!setCondition(conditions, condition)) return false;
    recorder.event(this.#job, 'Normal', 'Resumed', 'Job resumed');
    this.#status.startTime = timestamp(this.#now);
    return true;
  }

  /** Counts ended pods in the status, then removes their finalizers, then ends the job if it is done. */
  async #count(outcome: Outcome | undefined, suspensionChanged: boolean, record: FailureRecord): Promise<void> {
    const { status, changed, release, isPartial } = countEndedPods(this.#view, endingOf(outcome));
    this.#job.status = status;
    const countsChanged = this.#enterCounts(status);
    const announced = outcome !== undefined && this.#announce(status, outcome);
    if (changed || suspensionChanged || countsChanged || announced) {
      await this.#writeStatus();
      this.#memory.failures.set(this.#key, record);
    }
    const mayFinish = outcome !== undefined && !isPartial;
    await this.#removeFinalizers(release, mayFinish ? outcome : undefined);
  }

  async #removeFinalizers(release: readonly Pod[], outcome: Outcome | undefined): Promise<void> {
    const tracked = new Set(this.#view.pods.filter(this.#view.isTracked).map(({ metadata }) => metadata.uid ?? ''));
    const released: string[] = [];
    const failure = await forEachLimited(release, writesAtOnce, async (pod) => {
      await this.#release(pod);
      released.push(pod.metadata.uid ?? '');
    }).catch((error: unknown) => ({ error }));
    for (const uid of released) tracked.delete(uid);
    const status = (this.#job.status ??= {});
    const counted = moveToCounters(status, tracked);
    if (failure !== undefined) {
      if (counted) await this.#writeStatus();
      throw failure.error;
    }
    const finished = outcome === undefined ? undefined : this.#finish(status, outcome);
    if (counted || finished !== undefined) await this.#writeStatus();
    if (finished !== undefined) this.#recordEnd(finished);
  }

  /** Returns whether a count has changed. */
  #enterCounts(status: JobStatus): boolean {
    const { active, ready, terminating } = this.#counts;
    const changed = active !== (status.active ?? 0) || ready !== status.ready || terminating !== status.terminating;
    assign(status, 'active', active === 0 ? undefined : active);
    status.ready = ready;
    status.terminating = terminating;
    return changed;
  }

  /** Adds the condition that announces the end of the job. Returns whether it is new. */
  #announce(status: JobStatus, outcome: Outcome): boolean {
    if (outcome.type === 'Failed') return false;
    return setCondition((status.conditions ??= []), newCondition(outcome, this.#now));
  }

  /** Ends the job once all pods are counted and gone. Returns how. */
  #finish(status: JobStatus, outcome: Outcome): Outcome | undefined {
    const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
    if (succeeded.length + failed.length > 0 || this.#counts.terminating > 0) return undefined;
    const type = outcome.type === 'SuccessCriteriaMet' ? 'Complete' : 'Failed';
    const end = { ...outcome, type };
    setCondition((status.conditions ??= []), newCondition(end, this.#now));
    if (type === 'Complete') status.completionTime = timestamp(this.#now);
    return end;
  }

  #recordEnd({ type, reason, message }: Outcome): void {
    const { recorder } = this.#control;
    if (type !== 'Complete') return recorder.event(this.#job, 'Warning', reason, message);
    const { completions } = this.#view.spec;
    if (completions !== undefined && (this.#job.status?.succeeded ?? 0) > completions) {
      const text = 'Too many succeeded pods running after completion count reached';
      recorder.event(this.#job, 'Warning', 'TooManySucceededPods', text);
    }
    recorder.event(this.#job, 'Normal', 'Completed', 'Job completed');
  }

  async #writeStatus(): Promise<void> {
    const { namespace = '' } = this.#job.metadata;
    this.#job = await this.#control.client.update<Job>({ ...jobsResource, namespace }, this.#job, {
      subresource: 'status',
    });
    this.#memory.writes.wrote(this.#job, this.#memory.jobs, this.#job);
  }

  async #release(pod: Pod): Promise<void> {
    const { released } = this.#memory;
    const { uid = '' } = pod.metadata;
    released.add(uid);
    try {
      await releasePod(this.#control, pod);
    } catch (error) {
      released.delete(uid);
      throw error;
    }
  }
}

/** Removes the tracking finalizer from a pod. */
export async function releasePod({ client }: Pick<PodControl, 'client'>, pod: Pod): Promise<void> {
  const { namespace = '', name = '' } = pod.metadata;
  const metadata = { '$deleteFromPrimitiveList/finalizers': [trackingFinalizer] };
  try {
    await client.patch({ ...podsOf, namespace }, name, 'strategic', { metadata });
  } catch (error) {
    if (!isStatusError(error, 'NotFound')) throw error;
  }
}

function endingOf(outcome: Outcome | undefined): Ending {
  if (outcome === undefined) return 'none';
  return outcome.type === 'SuccessCriteriaMet' ? 'success' : 'failure';
}
