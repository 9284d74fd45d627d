import type { EtcdStorage } from '@apichain/apiserver';
import type { FlowControlSource } from '@apichain/flowcontrol';
import type { ResourceStores } from '@apichain/storage';
import { builtinPrefix, builtinStores } from './builtin-stores.ts';

const group = 'flowcontrol.apiserver.k8s.io';

interface FlowControlPlaces {
  /** The storage of the built-in resources. */
  readonly etcd: EtcdStorage;
  /** The storage of other resources, which are in directories of their group; by default `etcd`. */
  readonly custom?: EtcdStorage;
  /** The stores of a server that serves the flow control objects itself. */
  readonly open?: ResourceStores;
}

/** The data that priority and fairness reads from etcd in every server of the chain: its objects, and the number of objects to list. */
export function flowControlSource({
  etcd,
  custom = etcd,
  open = builtinStores(etcd),
}: FlowControlPlaces): FlowControlSource {
  return {
    ...flowControlObjects(open),
    sizeOf: (resource) => {
      const prefix = builtinPrefix(resource);
      return prefix === undefined
        ? custom.sizeOf(`/${resource.group}/${resource.resource}`, resource)
        : etcd.sizeOf(prefix, resource);
    },
  };
}

/** The objects of priority and fairness in the stores of a server. */
export const flowControlObjects = (open: ResourceStores): FlowControlSource => ({
  flowSchemas: open({ group, resource: 'flowschemas' }),
  priorityLevels: open({ group, resource: 'prioritylevelconfigurations' }),
});
