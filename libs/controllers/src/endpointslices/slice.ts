import { controllerReference } from '@apichain/client';
import type { EndpointSlice } from '@apichain/api/discovery/v1';
import { type KubeObject, isDNS1123Subdomain } from '@apichain/meta';

export const serviceNameLabel = 'kubernetes.io/service-name';
export const managedByLabel = 'endpointslice.kubernetes.io/managed-by';

/** A slice without endpoints that `owner` controls. */
export function newSlice(
  owner: KubeObject,
  {
    addressType,
    ports,
    labels,
  }: { readonly addressType: string; readonly ports: EndpointSlice['ports']; readonly labels: Record<string, string> },
): EndpointSlice {
  const { name = '', namespace = '' } = owner.metadata;
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      generateName: isDNS1123Subdomain(`${name}-a`) ? `${name}-` : name,
      namespace,
      labels,
      ownerReferences: [controllerReference(owner, owner)],
    },
    addressType,
    endpoints: [],
    ports: ports ?? [],
  };
}

/** The key of the service of a slice. Undefined without the label. */
export function serviceKeyOf({ metadata: { namespace = '', labels } }: EndpointSlice): string | undefined {
  const name = labels?.[serviceNameLabel] ?? '';
  return name === '' ? undefined : `${namespace}/${name}`;
}

/** Finds the slices of a service by its key. */
export const byService = (slice: EndpointSlice): string[] => {
  const key = serviceKeyOf(slice);
  return key === undefined ? [] : [key];
};
