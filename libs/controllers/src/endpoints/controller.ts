import { objectKey } from '@apichain/client';
import { errorMessage, isStatusError, isNamespaceTerminating } from '@apichain/meta';
import { type ControllerContext, type Running, newEventRecorder } from '../context.ts';
import { controllerParts } from '../controller-parts.ts';
import { PendingWrites } from '../workloads/pending-writes.ts';
import { pods as podsOf, endpointsOf, servicesOf } from '../resources.ts';
import { endpointsFor, isUpToDate } from './endpoints.ts';
import { isSelecting } from './pod-endpoint.ts';
import { SelectedPods } from './selected-pods.ts';
import { subsetsOf } from './subsets.ts';
import { TriggerTimes } from './trigger-time.ts';

/** The key for Endpoints whose service was deleted when this controller did not run. No service has it. */
const leftovers = 'leftovers';
/** Endpoints with it are a lock, not those of a service. */
const leaderAnnotation = 'control-plane.alpha.kubernetes.io/leader';

/**
 * Maintains the Endpoints of Services with a selector.
 * Source: https://kubernetes.io/docs/concepts/services-networking/service/#endpoints
 */
export function endpointsController(context: ControllerContext): Running {
  const { client } = context;
  const { queue, informer, run } = controllerParts(context, 'endpoints-controller');
  const services = informer(servicesOf);
  const pods = informer(podsOf);
  const endpoints = informer(endpointsOf);
  const selected = new SelectedPods(services, pods);
  const events = newEventRecorder(context, 'endpoint-controller');
  const triggerTimes = new TriggerTimes();
  const writes = new PendingWrites();
  /** Keys of services that are looked at again when the informer shows the last write. */
  const postponed = new Set<string>();
  const enqueue = (key: string) => queue.add(key);
  const resume = (key: string) => {
    if (postponed.delete(key)) enqueue(key);
  };
  services.addHandlers({
    onAdd: (service) => enqueue(objectKey(service)),
    onUpdate: (service) => enqueue(objectKey(service)),
    onDelete: (service) => enqueue(objectKey(service)),
  });
  selected.follow(enqueue);
  endpoints.addHandlers({
    onAdd: (object) => resume(objectKey(object)),
    onUpdate: (object) => resume(objectKey(object)),
    onDelete: (object) => {
      enqueue(objectKey(object));
    },
  });
  enqueue(leftovers);

  async function reconcile(key: string): Promise<void> {
    if (key === leftovers) {
      for (const object of endpoints.list()) enqueue(objectKey(object));
      return;
    }
    const service = services.get(key);
    const current = endpoints.get(key);
    if (service === undefined) {
      triggerTimes.forget(key);
      postponed.delete(key);
      writes.forget(key);
      const isLock = current?.metadata.annotations?.[leaderAnnotation] !== undefined;
      if (current !== undefined && !isLock) await remove(key);
      return;
    }
    if (!isSelecting(service)) return;
    if (!writes.areObserved(key)) {
      postponed.add(key);
      return;
    }
    const chosen = selected.of(service);
    const triggerTime = triggerTimes.next(key, service, chosen);
    const subsets = subsetsOf(service, chosen);
    if (current !== undefined && isUpToDate(current, service, subsets)) return;
    const wanted = endpointsFor(service, current, subsets, triggerTime);
    const ref = { ...endpointsOf, namespace: service.metadata.namespace ?? '' };
    try {
      const written = await (current === undefined ? client.create(ref, wanted) : client.update(ref, wanted));
      writes.wrote(service, endpoints, written);
    } catch (error) {
      if (current === undefined && isNamespaceTerminating(error)) return;
      const [reason, text] =
        current === undefined
          ? ['FailedToCreateEndpoint', `Failed to create endpoint for service ${key}`]
          : ['FailedToUpdateEndpoint', `Failed to update endpoint ${key}`];
      events.event(wanted, 'Warning', reason, `${text}: ${errorMessage(error)}`);
      throw error;
    }
  }

  async function remove(key: string): Promise<void> {
    const [namespace = '', name = ''] = key.split('/');
    try {
      await client.delete({ ...endpointsOf, namespace }, name);
    } catch (error) {
      if (!isStatusError(error, 'NotFound')) throw error;
    }
  }

  return run(reconcile);
}
