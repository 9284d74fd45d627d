import type { HorizontalPodAutoscaler } from '@apichain/api/autoscaling/v2';
import { byNamespace, objectKey } from '@apichain/client';
import { errorMessage } from '@apichain/meta';
import { type ControllerContext, type Running, newEventRecorder } from '../context.ts';
import { controllerParts } from '../controller-parts.ts';
import { pods as podsOf } from '../resources.ts';
import { KnownKinds } from './known-kinds.ts';
import { MetricsClient } from './metrics-client.ts';
import { type Autoscaling, AutoscalerReconciliation, autoscalersResource } from './reconcile.ts';

/**
 * Scales workloads by their metrics, from time to time.
 * Source: https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/
 */
export function horizontalPodAutoscaler(context: ControllerContext): Running {
  const { client, discovery, log, settings } = context;
  const syncPeriodMs = settings['horizontal-pod-autoscaler-sync-period'];
  const name = 'horizontal-pod-autoscaler-controller';
  const { queue, informer, run } = controllerParts(context, name);
  const autoscalers = informer<HorizontalPodAutoscaler>(autoscalersResource);
  const pods = informer(podsOf);
  const podsIn = pods.index(byNamespace);
  const kinds = new KnownKinds(discovery);
  const shared: Autoscaling = {
    client,
    settings,
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

  return run(reconcile);
}
