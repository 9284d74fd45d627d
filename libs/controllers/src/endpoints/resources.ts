import type { Endpoints, Service } from '@apichain/api/core/v1';
import type { EndpointSlice } from '@apichain/api/discovery/v1';
import type { ResourceReference } from '@apichain/client';

/** The resources of the controllers of endpoints. */
export const servicesOf: ResourceReference<Service> = { group: '', version: 'v1', resource: 'services' };
export const endpointsOf: ResourceReference<Endpoints> = { group: '', version: 'v1', resource: 'endpoints' };
export const slicesOf: ResourceReference<EndpointSlice> = {
  group: 'discovery.k8s.io',
  version: 'v1',
  resource: 'endpointslices',
};
