import type { ResourceQuota } from '@apichain/api/core/v1';
import { type ResourceReference, byNamespace, objectKey } from '@apichain/client';
import { semanticEqual, untilAborted } from '@apichain/meta';
import type { ControllerContext, Running } from '../context.ts';
import { controllerParts } from '../controller-parts.ts';
import { CountedResources } from './counted-resources.ts';
import { isUsageMissing, limitsOf, statusWith, usageOf } from './usage.ts';

const quotasOf: ResourceReference<ResourceQuota> = { group: '', version: 'v1', resource: 'resourcequotas' };

const discoveryRetryMs = 30_000;
const resync = 'all quotas';

/**
 * Keeps the usage in the status of quotas true: after objects are deleted or change, and all of it from time to time. The admission of objects adds to
 * the usage itself.
 * Source: https://kubernetes.io/docs/concepts/policy/resource-quotas/
 */
export function resourceQuotas(context: ControllerContext): Running {
  const { client, signal, settings } = context;
  const resyncMs = settings['resource-quota-sync-period'];
  const { queue, informer, furtherQueue, run } = controllerParts(context, 'resourcequota-controller');
  const quotas = informer(quotasOf);
  const quotasIn = quotas.index(byNamespace);
  /** Quotas without a usage. They do not wait behind the others, because nothing can be created in their namespaces. */
  const urgent = furtherQueue(reconcile);
  const resources = new CountedResources(context, (evaluator, namespace) => {
    for (const quota of quotasIn.get(namespace))
      if (evaluator.matching(Object.keys(quota.status?.hard ?? {})).length > 0) queue.add(objectKey(quota));
  });

  const enqueue = (quota: ResourceQuota) =>
    (isUsageMissing(quota, resources.evaluators) ? urgent : queue).add(objectKey(quota));
  quotas.addHandlers({
    onAdd: enqueue,
    onUpdate: (quota, old) => {
      if (!semanticEqual(quota.spec?.hard, old.spec?.hard)) enqueue(quota);
    },
  });
  queue.addAfter(resync, resyncMs, 'check');

  async function reconcile(key: string): Promise<void> {
    if (key === resync) return resynchronize();
    const quota = quotas.get(key);
    if (quota === undefined) return;
    const { namespace = '' } = quota.metadata;
    const names = [...limitsOf(quota).keys()];
    const { counted, isComplete } = await resources.count(names, namespace, () => queue.add(key));
    const status = statusWith(quota, usageOf(quota, counted));
    if (status !== undefined)
      await client.update<ResourceQuota>({ ...quotasOf, namespace }, { ...quota, status }, { subresource: 'status' });
    if (!isComplete) queue.addAfter(key, discoveryRetryMs);
  }

  async function resynchronize(): Promise<void> {
    queue.addAfter(resync, resyncMs, 'check');
    for (const quota of quotas.list()) queue.add(objectKey(quota));
    await resources.forgetRemoved();
  }

  const { synced, stopped } = run(reconcile);
  const ended = untilAborted(signal).then(() => resources.stop());
  return { synced, stopped: Promise.all([stopped, ended]).then(() => undefined) };
}
