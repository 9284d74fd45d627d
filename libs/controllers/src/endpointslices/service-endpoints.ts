import type { Node, Pod, Service } from '@apichain/api/core/v1';
import type { Endpoint, EndpointPort } from '@apichain/api/discovery/v1';
import { sortSlicePorts } from '../endpoints/hash-order.ts';
import {
  type IpFamily,
  addressesOf,
  familyOf,
  hostnameIn,
  isEndpoint,
  isHeadless,
  targetPorts,
} from '../endpoints/pod-endpoint.ts';
import { isPodReady } from '../workloads/pod-status.ts';
import { EndpointSet } from './endpoint-set.ts';

const zoneLabel = 'topology.kubernetes.io/zone';

/** The endpoints of a service with the same ports. */
interface EndpointGroup {
  readonly ports: EndpointPort[];
  readonly endpoints: EndpointSet;
}

/** A text that is equal for equal ports. */
export const portsKey = (ports: readonly EndpointPort[] | null | undefined): string =>
  JSON.stringify(
    sortSlicePorts(ports ?? []).map(({ name, port, protocol, appProtocol }) => [
      name ?? '',
      port,
      protocol,
      appProtocol,
    ]),
  );

/** The endpoints of a service for the pods that it selects, by ports. `missingNodes` are the messages about pods whose node is not known. */
export function groupEndpoints(
  service: Service,
  pods: readonly Pod[],
  nodeOf: (name: string) => Node | undefined,
  family: IpFamily,
): { readonly groups: ReadonlyMap<string, EndpointGroup>; readonly missingNodes: readonly string[] } {
  const groups = new Map<string, EndpointGroup>();
  const missingNodes: string[] = [];
  const { namespace, name } = service.metadata;
  /** Groups by the ports as the service lists them: most pods have the same. */
  const byList = new Map<string, EndpointGroup>();
  const groupOf = (list: readonly EndpointPort[]): EndpointGroup => {
    const listKey = JSON.stringify(list);
    const known = byList.get(listKey);
    if (known !== undefined) return known;
    const ports = sortSlicePorts(list);
    const key = portsKey(ports);
    const group = groups.get(key) ?? { ports, endpoints: new EndpointSet() };
    groups.set(key, group);
    byList.set(listKey, group);
    return group;
  };
  for (const pod of pods) {
    if (!isEndpoint(pod, true)) continue;
    const group = groupOf(endpointPorts(service, pod));
    const { nodeName = '' } = pod.spec ?? {};
    const node = nodeOf(nodeName);
    if (node === undefined && service.spec?.publishNotReadyAddresses !== true) {
      missingNodes.push(
        `skipping Pod ${pod.metadata.name} for Service ${namespace}/${name}: Node ${nodeName} Not Found`,
      );
      continue;
    }
    const addresses = addressesOf(pod, family);
    if (addresses.length > 0) group.endpoints.add(endpointOf(service, pod, node, addresses));
  }
  return { groups, missingNodes };
}

function endpointOf(service: Service, pod: Pod, node: Node | undefined, addresses: string[]): Endpoint {
  const serving = isPodReady(pod);
  const terminating = pod.metadata.deletionTimestamp !== undefined;
  const { namespace = '', name = '', uid = '' } = pod.metadata;
  const { nodeName = '' } = pod.spec ?? {};
  const zone = node?.metadata.labels?.[zoneLabel] ?? '';
  const hostname = hostnameIn(service, pod);
  return {
    addresses,
    conditions: {
      ready: service.spec?.publishNotReadyAddresses === true || (serving && !terminating),
      serving,
      terminating,
    },
    ...(hostname !== undefined && { hostname }),
    targetRef: { kind: 'Pod', namespace, name, uid },
    ...(nodeName !== '' && { nodeName }),
    ...(zone !== '' && { zone }),
  };
}

function endpointPorts(service: Service, pod: Pod): EndpointPort[] {
  const targetPort = targetPorts(pod);
  return (service.spec?.ports ?? []).flatMap((servicePort): EndpointPort | [] => {
    const port = targetPort(servicePort);
    if (port === undefined) return [];
    const { name = '', protocol = 'TCP', appProtocol } = servicePort;
    return { name, protocol, port, ...(appProtocol !== undefined && { appProtocol }) };
  });
}

/** The families of addresses that a service has slices for. */
export function familiesOf(service: Service): IpFamily[] {
  const { ipFamilies = [], clusterIP = '' } = service.spec ?? {};
  if (ipFamilies.length > 0) return ipFamilies.map((family) => (family === 'IPv6' ? 'IPv6' : 'IPv4'));
  return isHeadless(service) ? ['IPv4', 'IPv6'] : [familyOf(clusterIP)];
}
