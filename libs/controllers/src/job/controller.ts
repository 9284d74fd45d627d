import type { Job } from '@apichain/api/batch/v1';
import type { Pod } from '@apichain/api/core/v1';
import { byController, byNamespace, objectKey, orphansOf, controllerOf } from '@apichain/client';
import { currentTime, labelSelectorFromObject } from '@apichain/meta';
import { type ControllerContext, type Running, newEventRecorder } from '../context.ts';
import { controllerParts } from '../controller-parts.ts';
import { claim } from '../workloads/claim.ts';
import { Expectations } from '../workloads/expectations.ts';
import { PendingWrites } from '../workloads/pending-writes.ts';
import { pods as podsOf } from '../resources.ts';
import { hasTrackingFinalizer, trackingFinalizer } from './job-view.ts';
import { deadlineOf, isFinished, isManagedByOthers } from './outcome.ts';
import { JobReconciliation, type JobMemory, type PodControl, jobsResource, releasePod } from './reconcile.ts';

/**
 * Runs the pods of Jobs to completion.
 * Source: https://kubernetes.io/docs/concepts/workloads/controllers/job/
 */
export function jobController(context: ControllerContext): Running {
  const { client } = context;
  const { queue, enqueue, informer, furtherQueue, run } = controllerParts(context, 'job-controller');
  const jobs = informer<Job>(jobsResource);
  const pods = informer(podsOf);
  const podsByOwner = pods.index(byController);
  const jobsIn = jobs.index(byNamespace);
  /** Keys of pods that may keep the finalizer without a job that removes it. */
  const orphans = furtherQueue(releaseOrphan);
  const control: PodControl = { client, recorder: newEventRecorder(context, 'job-controller') };
  const memory: JobMemory = {
    writes: new PendingWrites(),
    jobs,
    expected: new Expectations(),
    failures: new Map(),
    released: new Set(),
    deleted: new Set(),
  };

  const forget = (key: string) => {
    memory.failures.delete(key);
    memory.expected.forget(key);
    memory.writes.forget(key);
  };

  jobs.addHandlers({
    onAdd: enqueue,
    onUpdate: (job) => {
      enqueue(job);
      if (isFinished(job)) releasePodsOf(job);
    },
    onDelete: (job) => {
      forget(objectKey(job));
      releasePodsOf(job);
    },
  });
  pods.addHandlers({
    onAdd: (pod) => podChanged(pod, undefined),
    onUpdate: podChanged,
    onDelete: (pod) => {
      memory.released.delete(pod.metadata.uid ?? '');
      memory.deleted.delete(pod.metadata.uid ?? '');
      const job = jobOf(pod);
      if (job !== undefined) enqueue(job);
    },
  });

  function podChanged(pod: Pod, old: Pod | undefined): void {
    const { uid = '', deletionTimestamp } = pod.metadata;
    if (!hasTrackingFinalizer(pod)) memory.released.delete(uid);
    if (deletionTimestamp !== undefined) memory.deleted.delete(uid);
    const job = jobOf(pod);
    const before = old === undefined ? undefined : jobOf(old);
    if (before !== undefined && before !== job) enqueue(before);
    if (hasTrackingFinalizer(pod) && (job === undefined || isFinished(job))) orphans.add(objectKey(pod));
    if (job !== undefined) {
      if (old === undefined) memory.expected.creationObserved(objectKey(job));
      enqueue(job);
    } else if (controllerOf(pod) === undefined)
      for (const other of jobsIn.get(pod.metadata.namespace ?? ''))
        if (selectorOf(other).matches(pod.metadata.labels)) enqueue(other);
  }

  function jobOf(pod: Pod): Job | undefined {
    const owner = controllerOf(pod);
    if (owner?.kind !== 'Job') return undefined;
    const job = jobs.get(`${pod.metadata.namespace ?? ''}/${owner.name}`);
    return job?.metadata.uid === owner.uid ? job : undefined;
  }

  function releasePodsOf({ metadata }: Job): void {
    for (const pod of podsByOwner.get(metadata.uid ?? '')) if (hasTrackingFinalizer(pod)) orphans.add(objectKey(pod));
  }

  async function reconcile(key: string): Promise<void> {
    const job = jobs.get(key);
    if (job === undefined || isManagedByOthers(job) || isFinished(job)) return forget(key);
    if (!memory.writes.areObserved(key)) return;
    const { uid = '', namespace } = job.metadata;
    const candidates = [...podsByOwner.get(uid), ...podsByOwner.get(orphansOf(namespace))];
    const selector = selectorOf(job);
    const finalizers = [trackingFinalizer];
    const kind = { apiVersion: 'batch/v1', kind: 'Job', resource: jobsResource };
    const claimed = await claim<Pod>({
      ...{ client, kind, owner: job, selector, resource: podsOf, objectKind: 'Pod', candidates, finalizers },
    });
    const pending = memory.expected.pendingMs(key);
    if (pending > 0) queue.addAfter(key, pending);
    const lookAgain = (delayMs: number) => queue.addAfter(key, delayMs);
    const deadline = deadlineOf(job);
    if (deadline !== undefined && deadline > currentTime()) lookAgain(deadline - currentTime());
    await new JobReconciliation(control, memory, lookAgain, { key, job, pods: claimed }).run();
  }

  async function releaseOrphan(key: string): Promise<void> {
    const pod = pods.get(key);
    if (pod === undefined || !hasTrackingFinalizer(pod)) return;
    const owner = controllerOf(pod);
    if (owner !== undefined && (owner.kind !== 'Job' || owner.apiVersion !== 'batch/v1')) return;
    const job = jobOf(pod);
    if (job !== undefined && (isManagedByOthers(job) || !isFinished(job))) return;
    await releasePod(control, pod);
  }

  return run(reconcile);
}

const selectorOf = ({ spec }: Job) => labelSelectorFromObject(spec?.selector);
