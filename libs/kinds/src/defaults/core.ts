import type { ComputedRule } from '@apichain/scheme';
import { at, ensureRecord, isSet, list, record, merged, records, text, type Plain } from '../fields.ts';

const clientIPTimeoutSeconds = 10800;

function sessionAffinityConfig(service: Plain): void {
  const spec = record(service.spec);
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity !== 'ClientIP') return;
  if (isSet(at(spec, 'sessionAffinityConfig', 'clientIP', 'timeoutSeconds'))) return;
  spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: clientIPTimeoutSeconds } };
}

function targetPorts(service: Plain): void {
  for (const port of records(at(service.spec, 'ports'))) {
    const target = port.targetPort;
    if (!isSet(target) || target === 0 || target === '') port.targetPort = port.port;
  }
}

const isOneOf = (value: unknown, ...types: string[]): boolean => types.includes(text(value));

function trafficPolicies(service: Plain): void {
  const spec = record(service.spec);
  const reachesOutside =
    isOneOf(spec.type, 'NodePort', 'LoadBalancer') || (spec.type === 'ClusterIP' && list(spec.externalIPs).length > 0);
  if (reachesOutside && text(spec.externalTrafficPolicy) === '') spec.externalTrafficPolicy = 'Cluster';
  const hasClusterIP = isOneOf(spec.type, 'ClusterIP', 'NodePort', 'LoadBalancer');
  if (hasClusterIP && !isSet(spec.internalTrafficPolicy)) spec.internalTrafficPolicy = 'Cluster';
}

function loadBalancer(service: Plain): void {
  const spec = record(service.spec);
  if (spec.type !== 'LoadBalancer') return;
  if (!isSet(spec.allocateLoadBalancerNodePorts)) spec.allocateLoadBalancerNodePorts = true;
  for (const ingress of records(at(service.status, 'loadBalancer', 'ingress'))) {
    if (text(ingress.ip) !== '' && !isSet(ingress.ipMode)) ingress.ipMode = 'VIP';
  }
}

function namespaceLabel(namespace: Plain): void {
  const metadata = record(namespace.metadata);
  const name = text(metadata.name);
  if (name !== '') ensureRecord(metadata, 'labels')['kubernetes.io/metadata.name'] = name;
}

function nodeAllocatable(node: Plain): void {
  const status = record(node.status);
  if (!isSet(status.allocatable) && isSet(status.capacity)) status.allocatable = merged(record(status.capacity));
}

/** Container limits of a LimitRange: what max says is the default limit, that or min the default request. */
function containerLimits(item: Plain): void {
  if (item.type !== 'Container') return;
  const limits = merged(record(item.max), record(item.default));
  const requests = merged(record(item.min), limits, record(item.defaultRequest));
  // Go leaves empty maps out: one here would be a change of what is stored
  if (Object.keys(limits).length > 0) item.default = limits;
  if (Object.keys(requests).length > 0) item.defaultRequest = requests;
}

export const coreRules: Readonly<Record<string, readonly ComputedRule[]>> = {
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
