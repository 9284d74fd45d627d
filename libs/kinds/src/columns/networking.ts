import { joinHostPort } from '@apichain/go-text';
import type { KubeObject } from '@apichain/meta';
import { at, integer, isSet, list, type Plain, record, records, text, texts } from '../fields.ts';
import { type Cells, joinedAt, labelsAt, limited, loadBalancerAddresses, marked, selectorAt, textAt } from './cells.ts';

function externalIps(service: KubeObject): string {
  const spec = record(service.spec);
  const own = texts(spec.externalIPs);
  switch (spec.type) {
    case 'ClusterIP':
    case 'NodePort':
      return own.length === 0 ? '<none>' : own.join(',');
    case 'LoadBalancer': {
      const all = [...loadBalancerAddresses(service), ...own];
      return all.length === 0 ? '<pending>' : all.join(',');
    }
    case 'ExternalName':
      return text(spec.externalName);
    default:
      return '<unknown>';
  }
}

function servicePorts(service: KubeObject): string {
  const ports = records(at(service.spec, 'ports')).map((port) => {
    const nodePort = integer(port.nodePort);
    return `${integer(port.port)}${nodePort > 0 ? `:${nodePort}` : ''}/${text(port.protocol)}`;
  });
  return ports.length === 0 ? '<none>' : ports.join(',');
}

function ingressHosts(ingress: KubeObject): string {
  const rules = records(at(ingress.spec, 'rules'));
  const shown: string[] = [];
  for (const rule of rules) {
    if (shown.length === 3) return `${shown.join(',')} + ${rules.length - 3} more...`;
    const host = text(rule.host);
    if (host !== '') shown.push(host);
  }
  return shown.length === 0 ? '*' : shown.join(',');
}

function classParameters(ingressClass: KubeObject): string {
  const parameters = at(ingressClass.spec, 'parameters');
  if (!isSet(parameters)) return '<none>';
  const { apiGroup, kind, name } = record(parameters);
  const group = text(apiGroup);
  return `${text(kind)}${group === '' ? '' : `.${group}`}/${text(name)}`;
}

function endpointAddresses(endpoints: KubeObject): string {
  const subsets = records(endpoints.subsets);
  if (subsets.length === 0) return '<none>';
  const all = subsets.flatMap((subset) => {
    const ips = records(subset.addresses).map((address) => text(address.ip));
    const ports = records(subset.ports);
    return ports.length === 0 ? ips : ports.flatMap((port) => ips.map((ip) => joinHostPort(ip, integer(port.port))));
  });
  return limited(all, 3);
}

function slicePorts(slice: KubeObject): string {
  const ports = records(slice.ports);
  const shown = (port: Plain): string => (isSet(port.name) ? text(port.name) : '*');
  const listed = limited(
    ports.map((port) => (isSet(port.port) ? String(integer(port.port)) : shown(port))),
    3,
  );
  return listed === '' ? '<unset>' : listed;
}

function sliceEndpoints(slice: KubeObject): string {
  const addresses = records(slice.endpoints).flatMap((endpoint) => texts(endpoint.addresses));
  return limited(addresses, 3) || '<unset>';
}

function parentReference(address: KubeObject): string {
  const parent = at(address.spec, 'parentRef');
  if (!isSet(parent)) return '<none>';
  const { group, resource, namespace, name } = record(parent);
  const qualified = [text(resource), text(group)].filter((part) => part !== '').join('.');
  return [qualified.toLowerCase(), text(namespace), text(name)].filter((part) => part !== '').join('/');
}

/** Services, what is behind them, and what leads to them. By `Kind` or `Kind.group` and column name. */
export const networkingCells: Readonly<Record<string, Cells>> = {
  Service: {
    'Cluster-IP': (service) => texts(at(service.spec, 'clusterIPs'))[0] ?? '<none>',
    'External-IP': externalIps,
    'Port(s)': servicePorts,
    Selector: labelsAt('spec.selector'),
  },
  'Ingress.networking.k8s.io': {
    Class: textAt('spec.ingressClassName', '<none>'),
    Hosts: ingressHosts,
    Address: (ingress) => loadBalancerAddresses(ingress).join(','),
    Ports: (ingress) => (list(at(ingress.spec, 'tls')).length > 0 ? '80, 443' : '80'),
  },
  'IngressClass.networking.k8s.io': {
    Name: marked(['ingressclass.kubernetes.io/is-default-class']),
    Parameters: classParameters,
  },
  Endpoints: { Endpoints: endpointAddresses },
  'NetworkPolicy.networking.k8s.io': { 'Pod-Selector': selectorAt('spec.podSelector') },
  'EndpointSlice.discovery.k8s.io': { Ports: slicePorts, Endpoints: sliceEndpoints },
  'ServiceCIDR.networking.k8s.io': { CIDRs: joinedAt('spec.cidrs', '') },
  'IPAddress.networking.k8s.io': { ParentRef: parentReference },
};
