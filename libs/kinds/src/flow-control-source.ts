import type { EtcdStorage } from '@apichain/apiserver';
import type { FlowControlSource } from '@apichain/flowcontrol';
import type { ResourceStores } from '@apichain/storage';
import { builtinPrefix, builtinStores } from './builtin-stores.ts';

const group = 'flowcontrol.apiserver.k8s.io';

export interface FlowControlPlaces {
  /** Of the built-in resources. */
  readonly etcd: EtcdStorage;
  /** Of the others, which lie in directories of their group; the same one if it is not given. */
  readonly custom?: EtcdStorage;
  /** The stores of a server that serves the objects itself. */
  readonly open?: ResourceStores;
}

/** What priority and fairness reads in etcd, for every server of the chain: its objects, and how much there is to list. */
export function flowControlSource({
  etcd,
  custom = etcd,
  open = builtinStores(etcd),
}: FlowControlPlaces): FlowControlSource {
  return {
    flowSchemas: open({ group, resource: 'flowschemas' }),
    priorityLevels: open({ group, resource: 'prioritylevelconfigurations' }),
    sizeOf: (resource) => {
      const prefix = builtinPrefix(resource);
      return prefix === undefined
        ? custom.sizeOf(`/${resource.group}/${resource.resource}`, resource)
        : etcd.sizeOf(prefix, resource);
    },
  };
}
