import type { RegistryStore } from '@apichain/apiserver';
import { isStatusError } from '@apichain/meta';
import { jsonCodec, KeyNotFoundError } from '@apichain/storage';
import type { StrategyHook } from '../strategies/server-hooks.ts';
import { ClusterIpAllocator, defaultServiceClusterIpRange, parseServiceRanges } from './cluster-ip-allocator.ts';
import { defaultServiceNodePortRange, NodePortAllocator, parsePortRange } from './node-port-allocator.ts';
import { serviceAllocationHooks, type ServiceAllocators } from './service-allocation.ts';

/** Allocates cluster IPs and node ports when services are written, from the stores of the server. Throws Error when a flag is not a valid range. */
export const withServiceAllocation: StrategyHook = (strategy, { options, store }) => {
  const ranges = parseServiceRanges(options.serviceClusterIpRange ?? defaultServiceClusterIpRange);
  const ports = options.openStorage({
    prefix: '/ranges',
    codec: jsonCodec({}),
    resource: { group: '', resource: 'rangeallocations' },
    indexFields: [],
  });
  const allocators: ServiceAllocators = {
    clusterIps: new ClusterIpAllocator(
      {
        ipAddresses: () => store('ipaddresses.networking.k8s.io').storage,
        serviceCidrs: () => store('servicecidrs.networking.k8s.io').storage,
      },
      ranges,
    ),
    nodePorts: new NodePortAllocator(
      ports,
      parsePortRange(options.serviceNodePortRange ?? defaultServiceNodePortRange),
    ),
    deleteEndpoints: (namespace, name) => deleteEndpoints(store('endpoints'), namespace, name),
  };
  return { ...strategy, ...serviceAllocationHooks(allocators) };
};

async function deleteEndpoints({ storage, layout }: RegistryStore, namespace: string, name: string): Promise<void> {
  try {
    await storage.delete(`${layout.prefix}/${namespace}/${name}`, {});
  } catch (error) {
    if (error instanceof KeyNotFoundError || isStatusError(error, 'NotFound')) return;
    throw error;
  }
}
