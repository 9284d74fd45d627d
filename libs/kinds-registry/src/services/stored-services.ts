import type { Service } from '@apichain/api/core/v1';
import type { RegistryStore } from '@apichain/apiserver';
import { internalCodec } from '@apichain/kinds';
import { isStatusError, pause } from '@apichain/meta';
import { KeyNotFoundError, listEverything, readStored } from '@apichain/storage';
import type { BuiltinApiOptions } from '../builtin-options.ts';
import type { KindStores } from '../kind-store.ts';
import { ClusterIpAllocator, defaultServiceClusterIpRange, parseServiceRanges } from './cluster-ip-allocator.ts';
import { ClusterIpRepair } from './cluster-ip-repair.ts';
import { NodePortAllocator } from './node-port-allocator.ts';
import { NodePortRepair } from './node-port-repair.ts';
import { defaultServiceNodePortRange, parsePortRange } from './port-range.ts';
import type { RepairEvent } from './repair-events.ts';
import type { ServiceAllocators } from './service-allocation.ts';

/** The repairs of what services hold outside of their objects. Each call is one pass, which returns what it found. */
export interface ServiceRepairs {
  readonly nodePorts: () => Promise<RepairEvent[]>;
  readonly clusterIps: () => Promise<RepairEvent[]>;
}

/** The allocators of cluster IPs and node ports of a server, and their repairs. */
export interface ServiceAllocation {
  readonly allocators: ServiceAllocators;
  readonly repairs: ServiceRepairs;
}

/** Made from the stores and the flags of a server. Throws Error when a flag is not a valid range. */
export function serviceAllocation(options: BuiltinApiOptions, store: KindStores): ServiceAllocation {
  const ranges = options.openStorage({
    prefix: '/ranges',
    codec: internalCodec({ group: '', version: 'v1', kind: 'RangeAllocation' }, options.storageMediaType),
    resource: { group: '', resource: 'rangeallocations' },
    indexFields: [],
  });
  const eachService = async (visit: (service: Service) => void): Promise<void> => {
    const { storage, layout } = store('services');
    const { items } = await storage.list(`${layout.prefix}/`, listEverything);
    for (const item of items) {
      await pause();
      visit(await readStored(item));
    }
  };
  const ipAddresses = () => store('ipaddresses.networking.k8s.io').storage;
  const clusterIps = new ClusterIpAllocator(
    { ipAddresses, serviceCidrs: () => store('servicecidrs.networking.k8s.io').storage },
    parseServiceRanges(options.serviceClusterIpRange ?? defaultServiceClusterIpRange),
  );
  const range = parsePortRange(options.serviceNodePortRange ?? defaultServiceNodePortRange);
  const nodePorts = new NodePortAllocator(ranges, range, eachService);
  const service = (namespace: string, name: string) => findService(store, namespace, name);
  const nodePortRepair = new NodePortRepair(nodePorts);
  const clusterIpRepair = new ClusterIpRepair(clusterIps, { ipAddresses, eachService, service });
  return {
    allocators: {
      clusterIps,
      nodePorts,
      deleteEndpoints: (namespace, name) => deleteEndpoints(store('endpoints'), namespace, name),
      reportFailure: options.reportFailure,
    },
    repairs: { nodePorts: () => nodePortRepair.pass(), clusterIps: () => clusterIpRepair.pass() },
  };
}

async function findService(store: KindStores, namespace: string, name: string): Promise<Service | undefined> {
  const { storage, layout } = store('services');
  try {
    return await readStored(await storage.get(`${layout.prefix}/${namespace}/${name}`, { resourceVersion: '' }));
  } catch (error) {
    if (error instanceof KeyNotFoundError) return undefined;
    throw error;
  }
}

async function deleteEndpoints({ storage, layout }: RegistryStore, namespace: string, name: string): Promise<void> {
  try {
    await storage.delete(`${layout.prefix}/${namespace}/${name}`, {});
  } catch (error) {
    if (error instanceof KeyNotFoundError || isStatusError(error, 'NotFound')) return;
    throw error;
  }
}
