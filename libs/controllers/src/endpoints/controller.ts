import { WorkQueue, objectKey } from '@apichain/client';
import { errorMessage, isStatusError } from '@apichain/meta';
import {
  type ControllerContext,
  type Running,
  isNamespaceTerminating,
  newEventRecorder,
  runQueue,
} from '../context.ts';
import { OwnWrites } from '../workloads/own-writes.ts';
import { endpointsFor, isUpToDate } from './endpoints.ts';
import { isSelecting } from './pod-endpoint.ts';
import { pods as podsOf } from '../workloads/resources.ts';
import { endpointsOf, servicesOf } from './resources.ts';
import { SelectedPods } from './selected-pods.ts';
import { subsetsOf } from './subsets.ts';
import { TriggerTimes } from './trigger-time.ts';

/** As in kube-controller-manager. */
const workers = 5;
/** Endpoints with it are a lock, not those of a service. */
const leaderAnnotation = 'control-plane.alpha.kubernetes.io/leader';

/**
 * Maintains the Endpoints of Services with a selector.
 * Source: https://kubernetes.io/docs/concepts/services-networking/service/#endpoints
 */
export function endpointsController(context: ControllerContext): Running {
  const { client } = context;
  const services = context.informer(servicesOf);
  const pods = context.informer(podsOf);
  const endpoints = context.informer(endpointsOf);
  const selected = new SelectedPods(services, pods);
  const queue = new WorkQueue({ maxDelayMs: 1_000_000 });
  const events = newEventRecorder(context, 'endpoint-controller');
  const triggerTimes = new TriggerTimes();
  const writes = new OwnWrites();
  const enqueue = (key: string) => queue.add(key);
  services.addHandlers({
    onAdd: (service) => enqueue(objectKey(service)),
    onUpdate: (service) => enqueue(objectKey(service)),
    onDelete: (service) => enqueue(objectKey(service)),
  });
  selected.follow(enqueue);
  endpoints.addHandlers({
    // Those that were left over when this controller did not run.
    onAdd: (object) => {
      const isLock = object.metadata.annotations?.[leaderAnnotation] !== undefined;
      if (!isLock && services.hasSynced && services.get(objectKey(object)) === undefined) enqueue(objectKey(object));
    },
    onUpdate: (object) => {
      if (writes.isBehind(object)) return;
      enqueue(objectKey(object));
    },
    onDelete: (object) => {
      writes.forget(object.metadata.uid);
      enqueue(objectKey(object));
    },
  });
  void services.waitForSync().then(() => {
    for (const object of endpoints.list())
      if (object.metadata.annotations?.[leaderAnnotation] === undefined) enqueue(objectKey(object));
  });

  async function reconcile(key: string): Promise<void> {
    const service = services.get(key);
    const current = endpoints.get(key);
    if (service === undefined) {
      triggerTimes.forget(key);
      if (current?.metadata.annotations?.[leaderAnnotation] === undefined) await remove(key);
      return;
    }
    if (!isSelecting(service)) return;
    const chosen = selected.of(service);
    const triggerTime = triggerTimes.next(key, service, chosen);
    const subsets = subsetsOf(service, chosen);
    if (current !== undefined && (writes.isBehind(current) || isUpToDate(current, service, subsets))) return;
    const wanted = endpointsFor(service, current, subsets, triggerTime);
    const ref = { ...endpointsOf, namespace: service.metadata.namespace ?? '' };
    try {
      writes.wrote(await (current === undefined ? client.create(ref, wanted) : client.update(ref, wanted)));
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

  const informers = [services, pods, endpoints];
  return runQueue(context, { name: 'endpoints-controller', informers, queue, workers, reconcile });
}
