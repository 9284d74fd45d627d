import type { Container, Pod, Service, ServicePort } from '@apichain/api/core/v1';
import { canonicalIp, parseIpLoosely } from '@apichain/go-text';
import { isPodTerminal } from '../workloads/pod-status.ts';

export type IpFamily = 'IPv4' | 'IPv6';

/** Whether a pod is an endpoint of the services that select it: it may still run, and has an address. */
export function isEndpoint(pod: Pod, withTerminating: boolean): boolean {
  const { podIP = '', podIPs = [] } = pod.status ?? {};
  if (isPodTerminal(pod) || (podIP === '' && podIPs.length === 0)) return false;
  return withTerminating || pod.metadata.deletionTimestamp === undefined;
}

/** The host name of a pod in the domain of a service, if it has one there. */
export function hostnameIn(service: Service, { metadata, spec }: Pod): string | undefined {
  const { hostname = '', subdomain } = spec ?? {};
  const isThere = subdomain === service.metadata.name && metadata.namespace === service.metadata.namespace;
  return hostname !== '' && isThere ? hostname : undefined;
}

/** The addresses of a pod that belong to a family, in canonical form. */
export function addressesOf({ status }: Pod, family: IpFamily): string[] {
  return (status?.podIPs ?? []).flatMap(({ ip = '' }) => {
    const address = parseIpLoosely(ip);
    return address !== undefined && familyOf(ip) === family ? canonicalIp(address) : [];
  });
}

/** The family of an address. What is no address counts as IPv4. */
export const familyOf = (ip: string): IpFamily => (parseIpLoosely(ip)?.family === 6 ? 'IPv6' : 'IPv4');

/**
 * Finds the number of the pod's port to which a port of a service leads. Undefined if no container has a port of that name. The ports of the pod
 * are indexed once, because both lists may be long.
 */
export function targetPorts({ spec }: Pod): (port: ServicePort) => number | undefined {
  const containers: Container[] = [
    ...(spec?.containers ?? []),
    ...(spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always'),
  ];
  const named = new Map<string, number | undefined>();
  for (const { name, protocol, containerPort } of containers.flatMap((container) => container.ports ?? [])) {
    const key = portKey(name, protocol);
    if (!named.has(key)) named.set(key, containerPort);
  }
  return ({ targetPort: target, protocol }) =>
    typeof target === 'number' ? target : named.get(portKey(target, protocol));
}

const portKey = (name: string | undefined, protocol: string | undefined): string =>
  JSON.stringify([name ?? null, protocol ?? null]);

/** Whether a service has no address of its own. */
export const isHeadless = ({ spec }: Service): boolean => ['None', ''].includes(spec?.clusterIP ?? '');

/** Whether endpoints of a service follow from its selector. */
export const isSelecting = ({ spec }: Service): boolean =>
  spec?.type !== 'ExternalName' && spec?.selector !== undefined;
