import type { EndpointSubset, Endpoints, Service } from '@apichain/api/core/v1';
import { deepClone } from '@apichain/meta';
import { isHeadless } from './pod-endpoint.ts';
import { areSubsetsEqual, isOverCapacity, repack, truncate } from './subsets.ts';
import { triggerTimeAnnotation } from './trigger-time.ts';

const managedByLabel = 'endpoints.kubernetes.io/managed-by';
const managedBy = 'endpoint-controller';
/** The label of endpoints of services without an address. */
export const headlessLabel = 'service.kubernetes.io/headless';
const overCapacityAnnotation = 'endpoints.kubernetes.io/over-capacity';

/** Whether Endpoints are already what a service needs. */
export function isUpToDate(endpoints: Endpoints, service: Service, subsets: readonly EndpointSubset[]): boolean {
  const current = endpoints.subsets ?? [];
  const areEqual = areSubsetsEqual(current, subsets) || areSubsetsEqual(repack(current), subsets);
  return (
    areEqual &&
    hasLabelsOf(endpoints, service) &&
    !isOverCapacity(current) &&
    endpoints.metadata.annotations?.[overCapacityAnnotation] === undefined
  );
}

function hasLabelsOf(endpoints: Endpoints, { metadata: { labels = {} } }: Service): boolean {
  const { [managedByLabel]: manager, [headlessLabel]: _, ...copied } = endpoints.metadata.labels ?? {};
  const { length } = Object.keys(labels);
  return (
    manager === managedBy &&
    Object.keys(copied).length === length &&
    Object.entries(copied).every(([key, value]) => labels[key] === value)
  );
}

/** The Endpoints of a service with new subsets: a change of `current`, or new ones. */
export function endpointsFor(
  service: Service,
  current: Endpoints | undefined,
  subsets: readonly EndpointSubset[],
  triggerTime: string | undefined,
): Endpoints {
  const { name = '', namespace = '' } = service.metadata;
  const endpoints: Endpoints =
    current === undefined ? { apiVersion: 'v1', kind: 'Endpoints', metadata: { name, namespace } } : deepClone(current);
  const { [triggerTimeAnnotation]: _, [overCapacityAnnotation]: __, ...others } = endpoints.metadata.annotations ?? {};
  const { [headlessLabel]: ___, ...labels } = service.metadata.labels ?? {};
  endpoints.metadata.annotations = {
    ...others,
    ...(triggerTime !== undefined && { [triggerTimeAnnotation]: triggerTime }),
    ...(isOverCapacity(subsets) && { [overCapacityAnnotation]: 'truncated' }),
  };
  endpoints.metadata.labels = {
    ...labels,
    ...(isHeadless(service) && { [headlessLabel]: '' }),
    [managedByLabel]: managedBy,
  };
  endpoints.subsets = truncate(subsets);
  return endpoints;
}
