import type { HorizontalPodAutoscaler } from '@apichain/api/autoscaling/v2';
import { WorkQueue, byNamespace, objectKey } from '@apichain/client';
import { errorMessage } from '@apichain/meta';
import { type ControllerContext, type Running, newEventRecorder, runQueue } from '../context.ts';
import { pods as podsOf } from '../workloads/resources.ts';
import { KnownKinds } from './known-kinds.ts';
import { MetricsClient } from './metrics-client.ts';
import { type Autoscaling, AutoscalerReconciliation, autoscalersResource } from './reconcile.ts';

/** As in kube-controller-manager. */
const workers = 5;
const syncPeriodMs = 15_000;

/**
 * Scales workloads by their metrics, every 15 seconds.
 * Source: https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/
 */
export function horizontalPodAutoscaler(context: ControllerContext): Running {
  const { client, discovery, log } = context;
  const name = 'horizontal-pod-autoscaler-controller';
  const autoscalers = context.informer<HorizontalPodAutoscaler>(autoscalersResource);
  const pods = context.informer(podsOf);
  const podsIn = pods.index(byNamespace);
  const queue = new WorkQueue();
  const kinds = new KnownKinds(discovery);
  const shared: Autoscaling = {
    client,
    kinds,
    events: newEventRecorder(context, 'horizontal-pod-autoscaler'),
    metrics: new MetricsClient(client, discovery, kinds),
    histories: new Map(),
    selectors: new Map(),
    podsIn: (namespace) => podsIn.get(namespace),
  };
  autoscalers.addHandlers({
    onAdd: (autoscaler) => queue.addAfter(objectKey(autoscaler), syncPeriodMs),
    onUpdate: (autoscaler) => queue.addAfter(objectKey(autoscaler), syncPeriodMs),
    onDelete: (autoscaler) => {
      const key = objectKey(autoscaler);
      for (const known of [shared.histories, shared.selectors]) known.delete(key);
    },
  });

  async function reconcile(key: string): Promise<void> {
    const autoscaler = autoscalers.get(key);
    if (autoscaler === undefined) return;
    try {
      await new AutoscalerReconciliation(shared, key, autoscaler).run();
    } catch (error) {
      // Nothing is tried again before the next period.
      log.error('sync failed, will be tried again', { controller: name, key, error: errorMessage(error) });
    }
    queue.addAfter(key, syncPeriodMs);
  }

  return runQueue(context, { name, informers: [autoscalers, pods], queue, workers, reconcile });
}
