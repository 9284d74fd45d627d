import type { Endpoints } from '@apichain/api/core/v1';
import type { EndpointSlice } from '@apichain/api/discovery/v1';
import { objectKey } from '@apichain/client';
import { type ControllerContext, type Running, newEventRecorder } from '../context.ts';
import { controllerParts } from '../controller-parts.ts';
import { endpointsOf, servicesOf, slicesOf } from '../resources.ts';
import { mirrorManager, planMirror } from './mirror-plan.ts';
import { SliceWriter } from './slice-writer.ts';
import { managedByLabel, serviceKeyOf } from './slice.ts';

/**
 * Mirrors Endpoints of Services without selector, which users write, to EndpointSlices.
 * Source: https://kubernetes.io/docs/concepts/services-networking/endpoint-slices/#endpointslice-mirroring
 */
export function endpointSliceMirroring(context: ControllerContext): Running {
  const { queue, informer, run } = controllerParts(context, 'endpointslice-mirroring-controller');
  const endpoints = informer(endpointsOf);
  const services = informer(servicesOf);
  const slices = informer(slicesOf);
  const events = newEventRecorder(context, 'endpoint-slice-mirroring-controller');
  const writer = new SliceWriter(context.client, slices);
  const isMirrored = ({ metadata }: EndpointSlice) => metadata.labels?.[managedByLabel] === mirrorManager;
  const enqueue = (key: string | undefined) => {
    if (key !== undefined) queue.add(key);
  };
  endpoints.addHandlers({
    onAdd: (object) => {
      if (mayMirror(object)) enqueue(objectKey(object));
    },
    onUpdate: (object, old) => {
      if (mayMirror(object) || mayMirror(old)) enqueue(objectKey(object));
    },
    onDelete: (object) => {
      if (mayMirror(object)) enqueue(objectKey(object));
    },
  });
  services.addHandlers({
    onAdd: (service) => {
      if (service.spec?.selector === undefined) enqueue(objectKey(service));
    },
    onUpdate: (service, old) => {
      if ((service.spec?.selector === undefined) !== (old.spec?.selector === undefined)) enqueue(objectKey(service));
    },
    onDelete: (service) => {
      if (service.spec?.selector === undefined) enqueue(objectKey(service));
    },
  });
  slices.addHandlers({
    onAdd: (slice) => {
      if (isMirrored(slice)) enqueue(serviceKeyOf(slice));
    },
    onUpdate: (slice, old) => {
      if (isMirrored(slice) || isMirrored(old)) for (const each of [slice, old]) enqueue(serviceKeyOf(each));
    },
    onDelete: (slice) => {
      if (isMirrored(slice)) enqueue(serviceKeyOf(slice));
    },
  });

  async function reconcile(key: string): Promise<void> {
    if (writer.isBehind(key)) return;
    const object = endpoints.get(key);
    const service = services.get(key);
    const existing = writer.slicesOf(key, isMirrored);
    if (object === undefined || !mayMirror(object) || service === undefined || service.spec?.selector !== undefined)
      return writer.write(key, 'Endpoints', { create: [], update: [], delete: existing }, false);
    const plan = planMirror(object, existing);
    if (plan.invalid > 0) {
      const text = `Skipped ${plan.invalid} invalid IP addresses when mirroring to EndpointSlices`;
      events.event(object, 'Warning', 'InvalidIPAddress', text);
    }
    if (plan.skipped > 0) {
      const text = `A max of 1000 addresses can be mirrored to EndpointSlices per Endpoints subset. ${plan.skipped + plan.invalid} addresses were skipped`;
      events.event(object, 'Warning', 'TooManyAddressesToMirror', text);
    }
    await writer.write(key, 'Endpoints', plan, object.metadata.deletionTimestamp === undefined);
  }

  return run(reconcile);
}

function mayMirror({ metadata: { labels, annotations } }: Endpoints): boolean {
  const isLock = annotations?.['control-plane.alpha.kubernetes.io/leader'] !== undefined;
  return !isLock && labels?.['endpointslice.kubernetes.io/skip-mirror'] !== 'true';
}
