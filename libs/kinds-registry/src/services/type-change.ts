import { isSet, semanticEqual } from '@apichain/meta';
import type { ServiceSpec } from '@apichain/api/core/v1';

/** Whether a service of this type has cluster IPs; true also for invalid types, which validation rejects. */
export const needsClusterIp = (spec: ServiceSpec): boolean => spec.type !== 'ExternalName';

/** Whether a service of this type gets node ports; load balancers can opt out. */
export const needsNodePort = (spec: ServiceSpec): boolean =>
  spec.type === 'NodePort' || (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false);

export const needsHealthCheckNodePort = (spec: ServiceSpec): boolean =>
  spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local';

export const isHeadless = (spec: ServiceSpec): boolean => spec.clusterIP === 'None';

const externallyAccessible = (spec: ServiceSpec): boolean =>
  spec.type === 'LoadBalancer' ||
  spec.type === 'NodePort' ||
  (spec.type === 'ClusterIP' && (spec.externalIPs ?? []).length > 0);

const sameNodePorts = (spec: ServiceSpec, old: ServiceSpec): boolean => {
  const ports = (s: ServiceSpec) => (s.ports ?? []).map((p) => p.nodePort ?? 0);
  const before = new Set(ports(old));
  return ports(spec).every((port) => port === 0 || before.has(port));
};

/** Removes fields that the new type cannot have, if the client sent their stored values unchanged. */
export function clearUnneededFields(spec: ServiceSpec, old: ServiceSpec): void {
  // The defaulter sets this field on every service, but ExternalName does not use it. Unknown values are kept, so that validation rejects them.
  if (spec.type === 'ExternalName' && ['Cluster', 'Local'].includes(spec.internalTrafficPolicy ?? ''))
    delete spec.internalTrafficPolicy;
  if (needsClusterIp(old) && !needsClusterIp(spec)) {
    for (const names of [['clusterIP', 'clusterIPs'], ['ipFamilies'], ['ipFamilyPolicy']] as const) {
      if (!names.every((name) => semanticEqual(spec[name], old[name]))) continue;
      for (const name of names) delete spec[name];
    }
  }
  const hadNodePorts = old.type === 'NodePort' || old.type === 'LoadBalancer';
  const hasNodePorts = spec.type === 'NodePort' || spec.type === 'LoadBalancer';
  if (hadNodePorts && !hasNodePorts && sameNodePorts(spec, old)) {
    for (const port of spec.ports ?? []) delete port.nodePort;
  }
  if (needsHealthCheckNodePort(old) && !needsHealthCheckNodePort(spec)) {
    if ((spec.healthCheckNodePort ?? 0) === (old.healthCheckNodePort ?? 0)) delete spec.healthCheckNodePort;
  }
  if (old.type === 'LoadBalancer' && spec.type !== 'LoadBalancer') {
    for (const name of ['allocateLoadBalancerNodePorts', 'loadBalancerClass'] as const) {
      if (semanticEqual(spec[name], old[name])) delete spec[name];
    }
  }
  if (externallyAccessible(old) && !externallyAccessible(spec) && isSet(spec.externalTrafficPolicy)) {
    if (spec.externalTrafficPolicy === old.externalTrafficPolicy) delete spec.externalTrafficPolicy;
  }
}

/** Fills in the addresses and ports that a client omitted from a full update, so that the service keeps them. */
export function keepAllocatedValues(spec: ServiceSpec, old: ServiceSpec): void {
  if (needsClusterIp(old) && needsClusterIp(spec)) {
    if ((spec.clusterIP ?? '') === '' && isSet(old.clusterIP)) spec.clusterIP = old.clusterIP;
    if ((spec.clusterIPs ?? []).length === 0 && isSet(old.clusterIPs)) spec.clusterIPs = [...old.clusterIPs];
  }
  if (needsNodePort(old) && needsNodePort(spec)) keepNodePorts(spec, old);
  if (needsHealthCheckNodePort(old) && needsHealthCheckNodePort(spec) && (spec.healthCheckNodePort ?? 0) === 0) {
    if (isSet(old.healthCheckNodePort)) spec.healthCheckNodePort = old.healthCheckNodePort;
  }
}

function keepNodePorts(spec: ServiceSpec, old: ServiceSpec): void {
  const stored = new Map((old.ports ?? []).map((port) => [port.name ?? '', port.nodePort ?? 0]));
  // Two ports may share a node port, but a node port that the client has set explicitly is not given to another port.
  const asked = new Set((spec.ports ?? []).map((port) => port.nodePort ?? 0));
  for (const port of spec.ports ?? []) {
    const before = stored.get(port.name ?? '') ?? 0;
    if ((port.nodePort ?? 0) === 0 && before !== 0 && !asked.has(before)) port.nodePort = before;
  }
}

/** clusterIP and clusterIPs[0] are the same value: a change of one is copied to the other. */
export function syncClusterIps(spec: ServiceSpec, old: ServiceSpec): void {
  const plural = spec.clusterIPs ?? [];
  const samePlural = semanticEqual(plural, old.clusterIPs);
  if (plural.length === 0 && spec.clusterIP === old.clusterIP && isSet(old.clusterIPs)) {
    spec.clusterIPs = [...old.clusterIPs];
  } else if (samePlural && (spec.clusterIP ?? '') === '' && (old.clusterIP ?? '') !== '') delete spec.clusterIPs;
  else if (samePlural && spec.clusterIP !== old.clusterIP && spec.clusterIP) {
    spec.clusterIPs = [spec.clusterIP];
  }
}
