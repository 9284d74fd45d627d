import { integer, isSet, list, type Plain, records, text } from '@apichain/kinds';
import { semanticEqual } from '@apichain/meta';

/** A service of this type has cluster IPs; so has one of a type that validation is going to refuse. */
export const needsClusterIp = (spec: Plain): boolean => spec.type !== 'ExternalName';

/** A service of this type may have node ports; load balancers can do without allocated ones. */
export const needsNodePort = (spec: Plain): boolean =>
  spec.type === 'NodePort' || (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false);

export const needsHealthCheckNodePort = (spec: Plain): boolean =>
  spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local';

export const isHeadless = (spec: Plain): boolean => spec.clusterIP === 'None';

const externallyAccessible = (spec: Plain): boolean =>
  spec.type === 'LoadBalancer' ||
  spec.type === 'NodePort' ||
  (spec.type === 'ClusterIP' && list(spec.externalIPs).length > 0);

const sameNodePorts = (spec: Plain, old: Plain): boolean => {
  const ports = (s: Plain) => records(s.ports).map((p) => integer(p.nodePort));
  const before = new Set(ports(old));
  return ports(spec).every((port) => port === 0 || before.has(port));
};

/** Takes away what a service of its new type can not have, where the client only carried the stored values along. */
export function clearUnneededFields(spec: Plain, old: Plain): void {
  // The defaulter gives every service one; a name for something outside the cluster has no use for it. An unknown one is refused.
  if (spec.type === 'ExternalName' && ['Cluster', 'Local'].includes(text(spec.internalTrafficPolicy)))
    delete spec.internalTrafficPolicy;
  if (needsClusterIp(old) && !needsClusterIp(spec)) {
    for (const names of [['clusterIP', 'clusterIPs'], ['ipFamilies'], ['ipFamilyPolicy']]) {
      if (!names.every((name) => semanticEqual(spec[name], old[name]))) continue;
      for (const name of names) delete spec[name];
    }
  }
  const hadNodePorts = old.type === 'NodePort' || old.type === 'LoadBalancer';
  const hasNodePorts = spec.type === 'NodePort' || spec.type === 'LoadBalancer';
  if (hadNodePorts && !hasNodePorts && sameNodePorts(spec, old)) {
    for (const port of records(spec.ports)) delete port.nodePort;
  }
  if (needsHealthCheckNodePort(old) && !needsHealthCheckNodePort(spec)) {
    if (integer(spec.healthCheckNodePort) === integer(old.healthCheckNodePort)) delete spec.healthCheckNodePort;
  }
  if (old.type === 'LoadBalancer' && spec.type !== 'LoadBalancer') {
    for (const name of ['allocateLoadBalancerNodePorts', 'loadBalancerClass']) {
      if (semanticEqual(spec[name], old[name])) delete spec[name];
    }
  }
  if (externallyAccessible(old) && !externallyAccessible(spec) && isSet(spec.externalTrafficPolicy)) {
    if (spec.externalTrafficPolicy === old.externalTrafficPolicy) delete spec.externalTrafficPolicy;
  }
}

/** Fills in what a client that sent a whole object left out, so that it keeps its addresses and ports. */
export function keepAllocatedValues(spec: Plain, old: Plain): void {
  if (needsClusterIp(old) && needsClusterIp(spec)) {
    if (text(spec.clusterIP) === '' && isSet(old.clusterIP)) spec.clusterIP = old.clusterIP;
    if (list(spec.clusterIPs).length === 0 && isSet(old.clusterIPs)) spec.clusterIPs = [...list(old.clusterIPs)];
  }
  if (needsNodePort(old) && needsNodePort(spec)) keepNodePorts(spec, old);
  if (needsHealthCheckNodePort(old) && needsHealthCheckNodePort(spec) && integer(spec.healthCheckNodePort) === 0) {
    if (isSet(old.healthCheckNodePort)) spec.healthCheckNodePort = old.healthCheckNodePort;
  }
}

function keepNodePorts(spec: Plain, old: Plain): void {
  const stored = new Map(records(old.ports).map((port) => [text(port.name), integer(port.nodePort)]));
  // two ports may share a node port: only one that the client gave to a port itself is not for others
  const asked = new Set(records(spec.ports).map((port) => integer(port.nodePort)));
  for (const port of records(spec.ports)) {
    const before = stored.get(text(port.name)) ?? 0;
    if (integer(port.nodePort) === 0 && before !== 0 && !asked.has(before)) port.nodePort = before;
  }
}

/** clusterIP and clusterIPs[0] are one value under two names: a change of one carries over to the other. */
export function syncClusterIps(spec: Plain, old: Plain): void {
  const plural = list(spec.clusterIPs);
  const samePlural = semanticEqual(plural, old.clusterIPs);
  if (plural.length === 0 && spec.clusterIP === old.clusterIP && isSet(old.clusterIPs)) {
    spec.clusterIPs = [...list(old.clusterIPs)];
  } else if (samePlural && text(spec.clusterIP) === '' && text(old.clusterIP) !== '') delete spec.clusterIPs;
  else if (samePlural && spec.clusterIP !== old.clusterIP && text(spec.clusterIP) !== '') {
    spec.clusterIPs = [spec.clusterIP];
  }
}
