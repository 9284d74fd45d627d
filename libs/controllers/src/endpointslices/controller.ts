import type { EndpointSlice } from '@apichain/api/discovery/v1';
import { WorkQueue, objectKey } from '@apichain/client';
import { aggregateMessage, errorMessage } from '@apichain/meta';
import { type ControllerContext, type Running, newEventRecorder, runQueue } from '../context.ts';
import { isSelecting } from '../endpoints/pod-endpoint.ts';
import { servicesOf, slicesOf } from '../endpoints/resources.ts';
import { SelectedPods } from '../endpoints/selected-pods.ts';
import { TriggerTimes } from '../endpoints/trigger-time.ts';
import { nodes as nodesOf, pods as podsOf } from '../workloads/resources.ts';
import { manager, planService } from './service-plan.ts';
import { SliceWriter } from './slice-writer.ts';
import { managedByLabel, serviceKeyOf } from './slice.ts';

/** As in kube-controller-manager. */
const workers = 5;
const retry = { baseDelayMs: 1_000, maxDelayMs: 1_000_000 };

/**
 * Maintains the EndpointSlices of Services with a selector.
 * Source: https://kubernetes.io/docs/concepts/services-networking/endpoint-slices/
 */
export function endpointSliceController(context: ControllerContext): Running {
  const { client } = context;
  const services = context.informer(servicesOf);
  const pods = context.informer(podsOf);
  const nodes = context.informer(nodesOf);
  const slices = context.informer(slicesOf);
  const selected = new SelectedPods(services, pods);
  const queue = new WorkQueue(retry);
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

  const informers = [services, pods, nodes, slices];
  return runQueue(context, { name: 'endpointslice-controller', informers, queue, workers, reconcile });
}
