import type { Endpoints, Service } from '@apichain/api/core/v1';
import type { EndpointPort, EndpointSlice } from '@apichain/api/discovery/v1';
import type { Ingress, IngressClass, IPAddress } from '@apichain/api/networking/v1';
import { isSet } from '@apichain/meta';
import {
  joinedAt,
  labelsAt,
  limited,
  loadBalancerAddresses,
  marked,
  selectorAt,
  textAt,
  type CellTable,
} from './cells.ts';

function externalIps(service: Service): string {
  const spec = service.spec ?? {};
  const own = spec.externalIPs ?? [];
  switch (spec.type) {
    case 'ClusterIP':
    case 'NodePort':
      return own.length === 0 ? '<none>' : own.join(',');
    case 'LoadBalancer': {
      const all = [...loadBalancerAddresses(service), ...own];
      return all.length === 0 ? '<pending>' : all.join(',');
    }
    case 'ExternalName':
      return spec.externalName ?? '';
    default:
      return '<unknown>';
  }
}

function servicePorts(service: Service): string {
  const ports = (service.spec?.ports ?? []).map((port) => {
    const nodePort = port.nodePort ?? 0;
    return `${port.port ?? 0}${nodePort > 0 ? `:${nodePort}` : ''}/${port.protocol ?? ''}`;
  });
  return ports.length === 0 ? '<none>' : ports.join(',');
}

function ingressHosts(ingress: Ingress): string {
  const rules = ingress.spec?.rules ?? [];
  const shown: string[] = [];
  for (const rule of rules) {
    if (shown.length === 3) return `${shown.join(',')} + ${rules.length - 3} more...`;
    const host = rule.host ?? '';
    if (host !== '') shown.push(host);
  }
  return shown.length === 0 ? '*' : shown.join(',');
}

function classParameters(ingressClass: IngressClass): string {
  const parameters = ingressClass.spec?.parameters;
  if (!isSet(parameters)) return '<none>';
  const { apiGroup, kind, name } = parameters;
  const group = apiGroup ?? '';
  return `${kind ?? ''}${group === '' ? '' : `.${group}`}/${name ?? ''}`;
}

const hostPort = (ip: string, port: number): string => (ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`);

function endpointAddresses(endpoints: Endpoints): string {
  const subsets = endpoints.subsets ?? [];
  if (subsets.length === 0) return '<none>';
  const all = subsets.flatMap((subset) => {
    const ips = (subset.addresses ?? []).map((address) => address.ip ?? '');
    const ports = subset.ports ?? [];
    return ports.length === 0 ? ips : ports.flatMap((port) => ips.map((ip) => hostPort(ip, port.port ?? 0)));
  });
  return limited(all, 3);
}

function slicePorts(slice: EndpointSlice): string {
  const ports = slice.ports ?? [];
  const shown = (port: EndpointPort): string => port.name ?? '*';
  const listed = limited(
    ports.map((port) => (isSet(port.port) ? String(port.port) : shown(port))),
    3,
  );
  return listed === '' ? '<unset>' : listed;
}

function sliceEndpoints(slice: EndpointSlice): string {
  const addresses = (slice.endpoints ?? []).flatMap((endpoint) => endpoint.addresses ?? []);
  return limited(addresses, 3) || '<unset>';
}

function parentReference(address: IPAddress): string {
  const parent = address.spec?.parentRef;
  if (!isSet(parent)) return '<none>';
  const { group, resource, namespace, name } = parent;
  const qualified = [resource ?? '', group ?? ''].filter((part) => part !== '').join('.');
  return [qualified.toLowerCase(), namespace ?? '', name ?? ''].filter((part) => part !== '').join('/');
}

/** Services, their endpoints, and routes to them, by `Kind` or `Kind.group` and column name. */
export const networkingCells: CellTable = {
  Service: {
    'Cluster-IP': (service) => service.spec?.clusterIPs?.[0] ?? '<none>',
    'External-IP': externalIps,
    'Port(s)': servicePorts,
    Selector: labelsAt((object) => object.spec?.selector),
  },
  'Ingress.networking.k8s.io': {
    Class: textAt((object) => object.spec?.ingressClassName, '<none>'),
    Hosts: ingressHosts,
    Address: (ingress) => loadBalancerAddresses(ingress).join(','),
    Ports: (ingress) => ((ingress.spec?.tls ?? []).length > 0 ? '80, 443' : '80'),
  },
  'IngressClass.networking.k8s.io': {
    Name: marked(['ingressclass.kubernetes.io/is-default-class']),
    Parameters: classParameters,
  },
  Endpoints: { Endpoints: endpointAddresses },
  'NetworkPolicy.networking.k8s.io': { 'Pod-Selector': selectorAt((object) => object.spec?.podSelector) },
  'EndpointSlice.discovery.k8s.io': { Ports: slicePorts, Endpoints: sliceEndpoints },
  'ServiceCIDR.networking.k8s.io': { CIDRs: joinedAt((object) => object.spec?.cidrs, '') },
  'IPAddress.networking.k8s.io': { ParentRef: parentReference },
};
