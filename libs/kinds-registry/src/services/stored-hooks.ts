import type { RegistryStore } from '@apichain/apiserver';
import { isStatusError } from '@apichain/meta';
import { jsonCodec, KeyNotFoundError, type Storage } from '@apichain/storage';
import type { KindStores } from '../kind-store.ts';
import type { OpenStorage } from '../open-storage.ts';
import { ClusterIpAllocator, parseServiceRanges } from './cluster-ip-allocator.ts';
import { NodePortAllocator, parsePortRange } from './node-port-allocator.ts';
import { serviceAllocationHooks } from './service-allocation.ts';

export interface StoredServiceHooksOptions {
  /** One CIDR, or two of different families with a comma. */
  readonly clusterIpRange: string;
  /** e.g. `30000-32767` */
  readonly nodePortRange: string;
  readonly openStorage: (options: OpenStorage) => Storage;
  readonly store: KindStores;
}

/** Cluster IPs and node ports of Services, allocated in the stores of this server. Throws Error for a range that is none. */
export function storedServiceHooks(options: StoredServiceHooksOptions): ReturnType<typeof serviceAllocationHooks> {
  const { store } = options;
  const ranges = parseServiceRanges(options.clusterIpRange);
  const portStore = options.openStorage({
    prefix: '/ranges',
    codec: jsonCodec({}),
    resource: { group: '', resource: 'rangeallocations' },
    indexFields: [],
  });
  return serviceAllocationHooks({
    clusterIps: new ClusterIpAllocator(
      {
        ipAddresses: () => store('ipaddresses.networking.k8s.io').storage,
        serviceCidrs: () => store('servicecidrs.networking.k8s.io').storage,
      },
      ranges,
    ),
    nodePorts: new NodePortAllocator(portStore, parsePortRange(options.nodePortRange)),
    deleteEndpoints: (namespace, name) => deleteEndpoints(store('endpoints'), namespace, name),
  });
}

async function deleteEndpoints({ storage, layout }: RegistryStore, namespace: string, name: string): Promise<void> {
  try {
    await storage.delete(`${layout.prefix}/${namespace}/${name}`, {});
  } catch (error) {
    if (error instanceof KeyNotFoundError || isStatusError(error, 'NotFound')) return;
    throw error;
  }
}
