import { isSet, merged } from '../fields.ts';
import type { LimitRangeItem, Namespace, Node, ResourceList, Service } from '@apichain/api/core/v1';
import type { ComputedRules } from './rules.ts';

const clientIPTimeoutSeconds = 10800;

function sessionAffinityConfig(service: Service): void {
  const spec = service.spec ?? {};
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity !== 'ClientIP') return;
  if (isSet(spec.sessionAffinityConfig?.clientIP?.timeoutSeconds)) return;
  spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: clientIPTimeoutSeconds } };
}

function targetPorts(service: Service): void {
  for (const port of service.spec?.ports ?? []) {
    const target = port.targetPort;
    if (!isSet(target) || target === 0 || target === '') port.targetPort = port.port;
  }
}

const isOneOf = (value: string | undefined, ...types: string[]): boolean => types.includes(value ?? '');

function trafficPolicies(service: Service): void {
  const spec = service.spec ?? {};
  const reachesOutside =
    isOneOf(spec.type, 'NodePort', 'LoadBalancer') ||
    (spec.type === 'ClusterIP' && (spec.externalIPs ?? []).length > 0);
  if (reachesOutside && (spec.externalTrafficPolicy ?? '') === '') spec.externalTrafficPolicy = 'Cluster';
  const hasClusterIP = isOneOf(spec.type, 'ClusterIP', 'NodePort', 'LoadBalancer');
  if (hasClusterIP && !isSet(spec.internalTrafficPolicy)) spec.internalTrafficPolicy = 'Cluster';
}

function loadBalancer(service: Service): void {
  const spec = service.spec ?? {};
  if (spec.type !== 'LoadBalancer') return;
  if (!isSet(spec.allocateLoadBalancerNodePorts)) spec.allocateLoadBalancerNodePorts = true;
  for (const ingress of service.status?.loadBalancer?.ingress ?? []) {
    if ((ingress.ip ?? '') !== '' && !isSet(ingress.ipMode)) ingress.ipMode = 'VIP';
  }
}

function namespaceLabel(namespace: Namespace): void {
  const { metadata } = namespace;
  const name = metadata.name ?? '';
  if (name !== '') (metadata.labels ??= {})['kubernetes.io/metadata.name'] = name;
}

function nodeAllocatable(node: Node): void {
  const status = node.status ?? {};
  if (!isSet(status.allocatable) && isSet(status.capacity)) status.allocatable = merged(status.capacity ?? {});
}

/** Defaults of a LimitRange for containers: max is the default limit; the default request is that limit, or else min. */
function containerLimits(item: LimitRangeItem): void {
  if (item.type !== 'Container') return;
  const limits: ResourceList = merged(item.max ?? {}, item.default ?? {});
  const requests: ResourceList = merged(item.min ?? {}, limits, item.defaultRequest ?? {});
  // Go omits empty maps; an empty map here would change the stored object.
  if (Object.keys(limits).length > 0) item.default = limits;
  if (Object.keys(requests).length > 0) item.defaultRequest = requests;
}

export const coreRules: ComputedRules = {
  'core.v1.Service': [
    { compute: sessionAffinityConfig, order: 3 },
    { compute: targetPorts, order: 5 },
    { compute: trafficPolicies, order: 7 },
    { compute: loadBalancer, order: 9 },
  ],
  'core.v1.Namespace': [{ compute: namespaceLabel }],
  'core.v1.Node': [{ compute: nodeAllocatable }],
  'core.v1.LimitRangeItem': [{ compute: containerLimits }],
};
