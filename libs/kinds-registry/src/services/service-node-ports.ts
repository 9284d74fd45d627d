import type { ServiceSpec } from '@apichain/api/core/v1';

/** The node ports that the ports of a service name. */
export const explicitNodePorts = (spec: ServiceSpec): number[] =>
  (spec.ports ?? []).map((port) => port.nodePort ?? 0).filter((port) => port !== 0);

/**
 * The node ports that a service holds, with that of its health checks. A port is repeated when the service uses it twice for one protocol, which
 * validation does not allow. Source: collectServiceNodePorts of pkg/registry/core/service/portallocator/controller of kubernetes 1.36.
 */
export function allNodePorts(spec: ServiceSpec): number[] {
  const held: number[] = [];
  const protocols = new Map<number, Set<string>>();
  const healthCheck = { nodePort: spec.healthCheckNodePort ?? 0, protocol: 'TCP' };
  for (const { nodePort = 0, protocol = '' } of [...(spec.ports ?? []), healthCheck]) {
    if (nodePort === 0) continue;
    const seen = protocols.get(nodePort) ?? new Set();
    if (seen.size === 0 || seen.has(protocol)) held.push(nodePort);
    protocols.set(nodePort, seen.add(protocol));
  }
  return held;
}
