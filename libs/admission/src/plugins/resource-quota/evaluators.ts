import { type GroupResource, formatGroupResource, newQuantity } from '@apichain/meta';
import { claimEvaluator } from './claim-evaluator.ts';
import { objectCounter, type Evaluator } from './evaluator.ts';
import { podEvaluator } from './pod-evaluator.ts';
import { resourceClaimEvaluator } from './resource-claim-evaluator.ts';
import type { Service } from '@apichain/api/core/v1';
import { one, type ResourceList } from '../../resource-list.ts';

const names = new Set(['count/services', 'services', 'services.nodeports', 'services.loadbalancers']);

/** Counts services, their node ports and load balancers. */
const serviceEvaluator: Evaluator<Service> = {
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

/** Resources that are not stored, and events, are not counted. */
const ignored: ReadonlySet<string> = new Set([
  'bindings',
  'componentstatuses',
  'events',
  'events.events.k8s.io',
  'tokenreviews.authentication.k8s.io',
  'selfsubjectreviews.authentication.k8s.io',
  'subjectaccessreviews.authorization.k8s.io',
  'localsubjectaccessreviews.authorization.k8s.io',
  'selfsubjectaccessreviews.authorization.k8s.io',
  'selfsubjectrulesreviews.authorization.k8s.io',
]);

/** Whether quotas may count the objects of a resource. */
export const isCounted = (resource: GroupResource): boolean => !ignored.has(formatGroupResource(resource));

const counter = (resource: string) => [resource, objectCounter({ group: '', resource }, resource)] as const;

/** What counts more than the objects of a resource, or has another name for their count, by `resource.group`. Other resources have an `objectCounter`. */
export const evaluators: ReadonlyMap<string, Evaluator> = new Map<string, Evaluator>([
  ['pods', podEvaluator],
  ['services', serviceEvaluator],
  ['persistentvolumeclaims', claimEvaluator],
  ['resourceclaims.resource.k8s.io', resourceClaimEvaluator],
  counter('configmaps'),
  counter('resourcequotas'),
  counter('replicationcontrollers'),
  counter('secrets'),
]);
