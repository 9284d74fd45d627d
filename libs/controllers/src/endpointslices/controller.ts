import type { EndpointSlice } from '@apichain/api/discovery/v1';
import { objectKey } from '@apichain/client';
import { aggregateMessage, errorMessage } from '@apichain/meta';
import { type ControllerContext, type Running, newEventRecorder } from '../context.ts';
import { controllerParts } from '../controller-parts.ts';
import { isSelecting } from '../endpoints/pod-endpoint.ts';
import { servicesOf, slicesOf, nodes as nodesOf, pods as podsOf } from '../resources.ts';
import { SelectedPods } from '../endpoints/selected-pods.ts';
import { TriggerTimes } from '../endpoints/trigger-time.ts';
import { manager, planService } from './service-plan.ts';
import { SliceWriter } from './slice-writer.ts';
import { managedByLabel, serviceKeyOf } from './slice.ts';

/**
 * Maintains the EndpointSlices of Services with a selector.
 * Source: https://kubernetes.io/docs/concepts/services-networking/endpoint-slices/
 */
export function endpointSliceController(context: ControllerContext): Running {
  const { client } = context;
  const { queue, informer, run } = controllerParts(context, 'endpointslice-controller');
  const services = informer(servicesOf);
  const pods = informer(podsOf);
  const nodes = informer(nodesOf);
  const slices = informer(slicesOf);
  const selected = new SelectedPods(services, pods);
  const events = newEventRecorder(context, 'endpoint-slice-controller');
  const triggerTimes = new TriggerTimes();
  const writer = new SliceWriter(client, slices);
  /** Keys of services with a pod whose node is not known. */
  const waitingForNodes = new Set<string>();
  const isManaged = ({ metadata }: EndpointSlice) => metadata.labels?.[managedByLabel] === manager;
  const enqueue = (key: string | undefined) => {
    if (key !== undefined) queue.add(key);
  };
  services.addHandlers({
    onAdd: (service) => enqueue(objectKey(service)),
    onUpdate: (service) => enqueue(objectKey(service)),
    onDelete: (service) => enqueue(objectKey(service)),
  });
  selected.follow(enqueue);
  slices.addHandlers({
    onAdd: (slice) => {
      if (isManaged(slice)) enqueue(serviceKeyOf(slice));
    },
    onUpdate: (slice, old) => {
      if (isManaged(slice) || isManaged(old)) for (const each of [slice, old]) enqueue(serviceKeyOf(each));
    },
    onDelete: (slice) => {
      if (isManaged(slice)) enqueue(serviceKeyOf(slice));
    },
  });
  nodes.addHandlers({
    onAdd: () => {
      for (const key of waitingForNodes) enqueue(key);
    },
  });

  async function reconcile(key: string): Promise<void> {
    const service = services.get(key);
    waitingForNodes.delete(key);
    if (service === undefined) {
      triggerTimes.forget(key);
      writer.forget(key);
      return;
    }
    if (!isSelecting(service) || writer.isBehind(key)) return;
    const chosen = selected.of(service);
    const triggerTime = triggerTimes.next(key, service, chosen);
    const existing = writer.slicesOf(
      key,
      (slice) => isManaged(slice) && slice.metadata.deletionTimestamp === undefined,
    );
    const nodeOf = (name: string) => nodes.get(name);
    const { plans, problems } = planService(service, chosen, existing, nodeOf, triggerTime);
    const messages = [...problems];
    const mayCreate = service.metadata.deletionTimestamp === undefined;
    for (const plan of plans)
      await writer.write(key, 'Service', plan, mayCreate).catch((error: unknown) => messages.push(errorMessage(error)));
    if (problems.length > 0) waitingForNodes.add(key);
    if (messages.length === 0) return;
    const message = aggregateMessage(messages);
    const text = `Error updating Endpoint Slices for Service ${key}: ${message}`;
    events.event(service, 'Warning', 'FailedToUpdateEndpointSlices', text);
    throw new Error(message);
  }

  return run(reconcile);
}
