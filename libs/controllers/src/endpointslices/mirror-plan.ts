import type { EndpointAddress, Endpoints } from '@apichain/api/core/v1';
import type { Endpoint, EndpointPort, EndpointSlice } from '@apichain/api/discovery/v1';
import { canonicalIp, parseIpLoosely } from '@apichain/go-text';
import { semanticEqual } from '@apichain/meta';
import { sortSlicePorts } from '../endpoints/hash-order.ts';
import { repack } from '../endpoints/subsets.ts';
import { triggerTimeAnnotation } from '../endpoints/trigger-time.ts';
import { EndpointSet, isSameEndpoint } from './endpoint-set.ts';
import { portsKey } from './service-endpoints.ts';
import { type SlicePlan, reuseDeleted } from './slice-plan.ts';
import { managedByLabel, newSlice, serviceNameLabel } from './slice.ts';

export const mirrorManager = 'endpointslicemirroring-controller.k8s.io';

/** The most addresses of a subset that are mirrored. */
const subsetCapacity = 1_000;
const notMirrored: ReadonlySet<string> = new Set([
  triggerTimeAnnotation,
  'kubectl.kubernetes.io/last-applied-configuration',
]);

/** The slices for Endpoints that somebody has written by hand, and how many of their addresses cannot be mirrored. */
interface MirrorPlan extends SlicePlan {
  readonly invalid: number;
  readonly skipped: number;
}

interface Group {
  readonly ports: EndpointPort[];
  readonly addressType: 'IPv4' | 'IPv6';
  readonly endpoints: Endpoint[];
}

/** Plans one slice for each subset and family of addresses. */
export function planMirror(endpoints: Endpoints, existing: readonly EndpointSlice[]): MirrorPlan {
  const { groups, invalid, skipped } = groupsOf(endpoints);
  const plan: SlicePlan = { create: [], update: [], delete: [] };
  const byKey = Map.groupBy(existing, ({ addressType = '', ports }) => groupKey(addressType, ports));
  for (const [key, slices] of byKey) if ((groups.get(key)?.endpoints ?? []).length === 0) plan.delete.push(...slices);
  for (const [key, group] of groups) {
    if (group.endpoints.length === 0) continue;
    const [first, ...surplus] = byKey.get(key) ?? [];
    plan.delete.push(...surplus);
    const slice = mirrorSlice(endpoints, group);
    if (first === undefined) plan.create.push(slice);
    else if (!isMirror(first, slice)) plan.update.push(asUpdate(first, slice));
  }
  const fits = (deleted: EndpointSlice, created: EndpointSlice) => deleted.addressType === created.addressType;
  return { ...reuseDeleted(plan, fits), invalid, skipped };
}

function groupsOf({ subsets = [] }: Endpoints): {
  readonly groups: ReadonlyMap<string, Group>;
  readonly invalid: number;
  readonly skipped: number;
} {
  const groups = new Map<string, Group>();
  let invalid = 0;
  let skipped = 0;
  for (const subset of repack(subsets)) {
    const ports = sortSlicePorts(
      (subset.ports ?? []).map(({ name = '', port = 0, protocol = 'TCP', appProtocol }) => ({
        name,
        protocol,
        port,
        ...(appProtocol !== undefined && { appProtocol }),
      })),
    );
    const all = [
      ...(subset.addresses ?? []).map((address) => endpointOf(address, true)),
      ...(subset.notReadyAddresses ?? []).map((address) => endpointOf(address, false)),
    ];
    const valid = all.filter((endpoint) => endpoint !== undefined);
    const mirrored = valid.slice(0, subsetCapacity);
    invalid += all.length - valid.length;
    skipped += valid.length - mirrored.length;
    for (const { addressType, endpoint } of mirrored) {
      const key = groupKey(addressType, ports);
      const group = groups.get(key) ?? { ports, addressType, endpoints: [] };
      groups.set(key, group);
      group.endpoints.push(endpoint);
    }
  }
  return { groups, invalid, skipped };
}

const groupKey = (addressType: string, ports: EndpointSlice['ports']): string => `${addressType} ${portsKey(ports)}`;

function endpointOf(
  { ip = '', hostname, nodeName, targetRef }: EndpointAddress,
  ready: boolean,
): { readonly addressType: 'IPv4' | 'IPv6'; readonly endpoint: Endpoint } | undefined {
  const address = parseIpLoosely(ip);
  if (address === undefined) return undefined;
  const endpoint: Endpoint = {
    addresses: [canonicalIp(address)],
    conditions: { ready },
    ...(hostname !== undefined && { hostname }),
    ...(targetRef !== undefined && { targetRef }),
    ...(nodeName !== undefined && { nodeName }),
  };
  return { addressType: address.family === 6 ? 'IPv6' : 'IPv4', endpoint };
}

function mirrorSlice(endpoints: Endpoints, { addressType, ports, endpoints: mirrored }: Group): EndpointSlice {
  const { labels = {}, annotations = {}, name = '' } = endpoints.metadata;
  const slice = newSlice(endpoints, {
    addressType,
    ports,
    labels: { ...labels, [serviceNameLabel]: name, [managedByLabel]: mirrorManager },
  });
  slice.metadata.annotations = Object.fromEntries(Object.entries(annotations).filter(([key]) => !notMirrored.has(key)));
  slice.endpoints = mirrored;
  return slice;
}

function isMirror(slice: EndpointSlice, wanted: EndpointSlice): boolean {
  const set = new EndpointSet();
  for (const endpoint of wanted.endpoints ?? []) set.add(endpoint);
  const areSame = (slice.endpoints ?? []).every((endpoint) => {
    const same = set.take(endpoint);
    return same !== undefined && isSameEndpoint(same, endpoint);
  });
  return (
    areSame &&
    set.size === 0 &&
    semanticEqual(slice.metadata.labels, wanted.metadata.labels) &&
    semanticEqual(slice.metadata.annotations, wanted.metadata.annotations) &&
    slice.metadata.ownerReferences?.[0]?.uid === wanted.metadata.ownerReferences?.[0]?.uid
  );
}

function asUpdate({ metadata: { name = '' } }: EndpointSlice, wanted: EndpointSlice): EndpointSlice {
  const { generateName: _, ...metadata } = wanted.metadata;
  return { ...wanted, metadata: { ...metadata, name } };
}
