import type { Service } from '@apichain/api/core/v1';
import { newQuantity } from '@apichain/meta';
import { one, type ResourceList } from '../../resource-list.ts';
import type { Evaluator } from './evaluator.ts';

const names = new Set(['count/services', 'services', 'services.nodeports', 'services.loadbalancers']);

/** Counts services, their node ports and load balancers. */
export const serviceEvaluator: Evaluator<Service> = {
  handles: ({ operation, subresource }) => subresource === '' && (operation === 'CREATE' || operation === 'UPDATE'),
  matching: (candidates) => [...candidates].filter((name) => names.has(name)),
  matchesScope: () => false,
  usage(service) {
    const spec = service.spec ?? {};
    const ports = spec.ports ?? [];
    const usage: ResourceList = new Map([
      ['count/services', one],
      ['services', one],
    ]);
    if (spec.type === 'NodePort') usage.set('services.nodeports', newQuantity(ports.length));
    if (spec.type === 'LoadBalancer') {
      const explicit = ports.filter(({ nodePort }) => (nodePort ?? 0) !== 0);
      const counted = spec.allocateLoadBalancerNodePorts === false ? explicit : ports;
      usage.set('services.nodeports', newQuantity(counted.length));
      usage.set('services.loadbalancers', one);
    }
    return usage;
  },
};
