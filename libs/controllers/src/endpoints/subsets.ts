import type { EndpointAddress, EndpointPort, EndpointSubset, Pod, Service, ServicePort } from '@apichain/api/core/v1';
import { compareText, semanticEqual } from '@apichain/meta';
import { isPodReady } from '../workloads/pod-status.ts';
import { sortPorts, sortSubsets } from './hash-order.ts';
import { type IpFamily, addressesOf, familyOf, hostnameIn, isEndpoint, targetPorts } from './pod-endpoint.ts';

/** The most addresses of one Endpoints object. */
const capacity = 1_000;

/** The subsets that Endpoints of a service have for the pods that it selects. */
export function subsetsOf(service: Service, pods: readonly Pod[]): EndpointSubset[] {
  const { publishNotReadyAddresses = false, ports = [], clusterIP } = service.spec ?? {};
  const subsets = pods.flatMap((pod) => {
    const address = isEndpoint(pod, publishNotReadyAddresses) ? addressFor(service, pod) : undefined;
    if (address === undefined) return [];
    const list = publishNotReadyAddresses || isPodReady(pod) ? 'addresses' : 'notReadyAddresses';
    const subset = (more: EndpointSubset): EndpointSubset => ({ [list]: [address], ...more });
    if (ports.length === 0) return clusterIP === 'None' ? subset({}) : [];
    const targetPort = targetPorts(pod);
    return ports.flatMap((port) => {
      const number = targetPort(port);
      return number === undefined ? [] : subset({ ports: [endpointPort(port, number)] });
    });
  });
  return repack(subsets);
}

function addressFor(service: Service, pod: Pod): EndpointAddress | undefined {
  const [ip] = addressesOf(pod, mainFamily(service, pod));
  if (ip === undefined) return undefined;
  const { namespace = '', name = '', uid = '' } = pod.metadata;
  const hostname = hostnameIn(service, pod);
  return {
    ip,
    ...(hostname !== undefined && { hostname }),
    nodeName: pod.spec?.nodeName ?? '',
    targetRef: { kind: 'Pod', namespace, name, uid },
  };
}

function mainFamily({ spec }: Service, { status }: Pod): IpFamily {
  const [family] = spec?.ipFamilies ?? [];
  if (family !== undefined) return family === 'IPv6' ? 'IPv6' : 'IPv4';
  const { clusterIP = '' } = spec ?? {};
  return familyOf(clusterIP === '' || clusterIP === 'None' ? (status?.podIP ?? '') : clusterIP);
}

function endpointPort({ name, protocol, appProtocol }: ServicePort, port: number): EndpointPort {
  return {
    ...(name !== undefined && { name }),
    port,
    ...(protocol !== undefined && { protocol }),
    ...(appProtocol !== undefined && { appProtocol }),
  };
}

/** The canonical form of subsets: addresses with the same ports are together, and everything has an order. An address that is not ready somewhere is not ready. */
export function repack(subsets: readonly EndpointSubset[]): EndpointSubset[] {
  const addresses = new Map<string, EndpointAddress>();
  const byPort = new Map<string, { readonly port: EndpointPort | undefined; readonly ready: Map<string, boolean> }>();
  for (const subset of subsets)
    for (const port of (subset.ports ?? []).length === 0 ? [undefined] : (subset.ports ?? [])) {
      const key = portKey(port);
      const { ready } = byPort.get(key) ?? { ready: new Map<string, boolean>() };
      byPort.set(key, { port, ready });
      for (const [list, isReady] of [
        [subset.addresses, true],
        [subset.notReadyAddresses, false],
      ] as const)
        for (const address of list ?? []) {
          const id = `${address.ip ?? ''} ${address.targetRef?.uid ?? ''}`;
          if (!addresses.has(id)) addresses.set(id, address);
          ready.set(id, (ready.get(id) ?? true) && isReady);
        }
    }
  const groups = Map.groupBy(byPort.values(), ({ ready }) =>
    JSON.stringify([...ready].sort(([a], [b]) => compareText(a, b))),
  );
  const packed = [...groups.values()].map((group) => {
    const ready = group[0]?.ready ?? new Map<string, boolean>();
    const list = (wanted: boolean) =>
      [...ready]
        .flatMap(([id, isReady]) => (isReady === wanted ? (addresses.get(id) ?? []) : []))
        .sort(compareAddresses);
    const [readyAddresses, notReadyAddresses] = [list(true), list(false)];
    const ports = sortPorts(group.flatMap(({ port }) => port ?? []));
    return {
      ...(readyAddresses.length > 0 && { addresses: readyAddresses }),
      ...(notReadyAddresses.length > 0 && { notReadyAddresses }),
      ...(ports.length > 0 && { ports }),
    };
  });
  return sortSubsets(packed);
}

const portKey = (port: EndpointPort | undefined): string =>
  port === undefined ? '' : JSON.stringify([port.name ?? '', port.port, port.protocol, port.appProtocol ?? null]);

const compareAddresses = (left: EndpointAddress, right: EndpointAddress): number =>
  compareText(left.ip ?? '', right.ip ?? '') || compareText(left.targetRef?.uid ?? '', right.targetRef?.uid ?? '');

/** Whether subsets are the same to clients. The version of the referenced objects does not count. */
export function areSubsetsEqual(left: readonly EndpointSubset[], right: readonly EndpointSubset[]): boolean {
  return semanticEqual(left.map(withoutVersions), right.map(withoutVersions));
}

function withoutVersions(subset: EndpointSubset): EndpointSubset {
  const strip = (address: EndpointAddress): EndpointAddress => {
    if (address.targetRef?.resourceVersion === undefined) return address;
    const { resourceVersion: _, ...targetRef } = address.targetRef;
    return { ...address, targetRef };
  };
  return {
    ...subset,
    addresses: (subset.addresses ?? []).map(strip),
    notReadyAddresses: (subset.notReadyAddresses ?? []).map(strip),
  };
}

/** How many addresses there are. */
export const countAddresses = (subsets: readonly EndpointSubset[], list: 'addresses' | 'notReadyAddresses'): number =>
  subsets.reduce((sum, subset) => sum + (subset[list]?.length ?? 0), 0);

/** Whether there are more addresses than fit in one object. */
export const isOverCapacity = (subsets: readonly EndpointSubset[]): boolean =>
  countAddresses(subsets, 'addresses') + countAddresses(subsets, 'notReadyAddresses') > capacity;

/** At most 1,000 addresses, ready ones first, and of each subset a share in proportion to its size. */
export function truncate(subsets: readonly EndpointSubset[]): EndpointSubset[] {
  if (!isOverCapacity(subsets)) return [...subsets];
  const ready = countAddresses(subsets, 'addresses');
  const list = ready > capacity ? 'addresses' : 'notReadyAddresses';
  const room = ready > capacity ? capacity : capacity - ready;
  const total = countAddresses(subsets, list);
  let left = room;
  return subsets.map((subset) => {
    const own = subset[list] ?? [];
    const kept = own.slice(0, Math.min(left, Math.ceil((own.length / total) * room)));
    left -= kept.length;
    const { notReadyAddresses: _, ...truncated } = { ...subset, [list]: kept };
    return list === 'addresses' ? truncated : { ...truncated, notReadyAddresses: kept };
  });
}
