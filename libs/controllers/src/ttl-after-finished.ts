import type { Job } from '@apichain/api/batch/v1';
import { objectKey } from '@apichain/client';
import { currentTime, type KubeObject, isSet, isStatusError } from '@apichain/meta';
import type { ControllerContext, Running } from './context.ts';
import { controllerParts } from './controller-parts.ts';

const resource = { group: 'batch', version: 'v1', resource: 'jobs' };

/**
 * Deletes finished Jobs when their `ttlSecondsAfterFinished` has passed.
 * Source: https://kubernetes.io/docs/concepts/workloads/controllers/ttlafterfinished/
 */
export function ttlAfterFinished(context: ControllerContext): Running {
  const { client } = context;
  const { queue, sharedOrOwnInformer, run } = controllerParts(context, 'ttl-after-finished-controller');
  const jobs = sharedOrOwnInformer({
    resource,
    transform: (job: Job) => {
      const { name, namespace, uid, resourceVersion, deletionTimestamp } = job.metadata;
      const metadata = { name, namespace, uid, resourceVersion, deletionTimestamp } as KubeObject['metadata'];
      const { ttlSecondsAfterFinished } = job.spec ?? {};
      return {
        apiVersion: '',
        kind: '',
        metadata,
        spec: { ttlSecondsAfterFinished },
        status: { conditions: job.status?.conditions },
      };
    },
  });
  const enqueue = (job: KubeObject) => {
    if (expiry(job) !== undefined) queue.add(objectKey(job));
  };
  jobs.addHandlers({ onAdd: enqueue, onUpdate: enqueue });

  async function reconcile(key: string): Promise<void> {
    const job = jobs.get(key);
    if (job === undefined || !hasExpired(job)) return;
    const { namespace = '', name = '', uid } = job.metadata;
    const ref = { ...resource, namespace };
    try {
      // The TTL may have been raised since the informer observed the job.
      const live = await client.get(ref, name);
      if (live.metadata.uid !== uid || !hasExpired(live)) return;
      const preconditions = { uid, resourceVersion: live.metadata.resourceVersion };
      await client.delete(ref, name, { propagationPolicy: 'Foreground', preconditions });
    } catch (error) {
      if (!isStatusError(error) || error.code !== 404) throw error;
    }
  }

  /** Whether the TTL of a job has passed. If not, the job is queued again for that time. */
  function hasExpired(job: KubeObject): boolean {
    const at = expiry(job);
    if (at === undefined) return false;
    const remaining = at - currentTime();
    if (remaining > 0) queue.addAfter(objectKey(job), remaining);
    return remaining <= 0;
  }

  return run(reconcile);
}

/**
 * The time at which a job is to be deleted, in milliseconds since 1970. Undefined for a job that is not finished, has no TTL or is already
 * being deleted.
 */
export function expiry({ metadata, spec, status }: Job): number | undefined {
  const ttl = spec?.ttlSecondsAfterFinished;
  if (ttl === undefined || metadata.deletionTimestamp !== undefined) return undefined;
  const finished = status?.conditions?.find(
    ({ type, status: is }) => (type === 'Complete' || type === 'Failed') && is === 'True',
  );
  if (!isSet(finished?.lastTransitionTime)) return undefined;
  return Date.parse(finished.lastTransitionTime) + ttl * 1000;
}
