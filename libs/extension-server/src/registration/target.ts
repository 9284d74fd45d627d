import { isIP, isIPv6 } from 'node:net';
import { joinHostPort } from '@apichain/go-text';
import { addressAnnotation, isDNS1035Label, isDNS1123Label, isDNS1123Subdomain, type KubeObject } from '@apichain/meta';
import { RegistrationError } from './registration-error.ts';

/** A Service that exists, e.g. in front of the server's pods. */
export interface ServiceTarget {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/**
 * How an API server finds the address: through an ExternalName Service, through a Service with an EndpointSlice, or by an annotation of the
 * APIService, if it serves no Services.
 */
export type AddressRouting = 'ExternalName' | 'EndpointSlice' | 'annotation';

/** An address at which the API server reaches the extension server. Its Service is in `namespace`; see `AddressRouting`. */
export interface AddressTarget {
  readonly namespace: string;
  /** A host name or an IP address. */
  readonly host: string;
  readonly port: number;
  /** An EndpointSlice cannot have every address; see `canBeEndpoint`. Default: an EndpointSlice for what cannot be an external name. */
  readonly routing?: AddressRouting;
}

/** Where requests for the group-versions are sent. */
export type RegistrationTarget = { readonly service: ServiceTarget } | { readonly address: AddressTarget };

/** The Service reference of an APIService, and the objects that are made for it. */
interface Routing {
  readonly service: ServiceTarget;
  readonly objects: readonly KubeObject[];
  /** The annotations that the APIServices need. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** What the API server needs in order to reach the target, in one line. */
  readonly note?: string;
}

/**
 * The routing to a target for a server of this name.
 *
 * An APIService refers to a Service. For an address, that is an ExternalName Service: aggregators connect to its name directly,
 * without a cluster IP, so no kube-proxy is needed. An IPv4 address is a valid external name too. An IPv6 address is not, and
 * kube-apiserver with --enable-aggregator-routing refuses ExternalName Services. The alternative is a Service without selector and an
 * EndpointSlice: it needs either that flag or a kube-proxy. It cannot contain loopback addresses, so ::1 becomes `localhost`.
 *
 * An API server without Service objects takes the address from an annotation. The reference then only gives the name of the certificate.
 *
 * Sources: ResolveCluster and ResolveEndpoint in k8s.io/apiserver/pkg/util/proxy;
 * https://kubernetes.io/docs/concepts/services-networking/service/#services-without-selectors
 */
export function routingTo(server: string, target: RegistrationTarget): Routing {
  if ('service' in target) return { service: target.service, objects: [] };
  const { namespace, host, port, routing = isIPv6(host) ? 'EndpointSlice' : 'ExternalName' } = target.address;
  const service = { namespace, name: server, port };
  if (routing === 'annotation')
    return { service, objects: [], annotations: { [addressAnnotation]: joinHostPort(host, port) } };
  if (routing === 'EndpointSlice' && canBeEndpoint(host)) return endpointRouting(server, target.address);
  const externalName = isIPv6(host) ? 'localhost' : host;
  return {
    service,
    objects: [
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: server, namespace },
        spec: { type: 'ExternalName', externalName, ports: [{ ...portOf(port), targetPort: port }] },
      },
    ],
  };
}

/** Whether an EndpointSlice may contain the host: IP addresses other than those of loopback interfaces. */
export const canBeEndpoint = (host: string): boolean => isIP(host) !== 0 && !isLoopback(host);

const servicePort = 443;
const portOf = (port: number) => ({ name: 'https', port, protocol: 'TCP' });

function endpointRouting(server: string, { namespace, host, port }: AddressTarget): Routing {
  const metadata = { name: server, namespace };
  return {
    service: { ...metadata, port: servicePort },
    objects: [
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata,
        spec: { type: 'ClusterIP', ports: [{ ...portOf(servicePort), targetPort: port }] },
      },
      {
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        // An EndpointSlice cannot change its address type.
        metadata: {
          name: isIPv6(host) ? `${server}-ipv6` : `${server}-ipv4`,
          namespace,
          labels: { 'kubernetes.io/service-name': server },
        },
        addressType: isIPv6(host) ? 'IPv6' : 'IPv4',
        endpoints: [{ addresses: [host], conditions: { ready: true } }],
        ports: [portOf(port)],
      },
    ],
    note: `an API server reaches ${joinHostPort(host, port)} only with --enable-aggregator-routing or through a kube-proxy on its node`,
  };
}

/** Parses `HOST:PORT`; an IPv6 address is in brackets. Throws RegistrationError. */
export function parseAddress(text: string): { readonly host: string; readonly port: number } {
  const match = /^(?:\[([^\]]+)\]|([^:[\]]+)):([0-9]+)$/.exec(text);
  const host = match?.[1] ?? match?.[2] ?? '';
  if (match === null || (match[1] !== undefined && !isIPv6(match[1])))
    throw new RegistrationError(`"${text}" is not HOST:PORT, e.g. 127.0.0.1:8443 or [fd00::1]:8443`);
  const [reason] = isIP(host) === 0 ? isDNS1123Subdomain(host) : [];
  if (reason !== undefined) throw new RegistrationError(`address "${text}": ${reason}`);
  return { host, port: checkPort(text, Number(match[3])) };
}

/** Parses `NAMESPACE/NAME` or `NAMESPACE/NAME:PORT`. The default port is 443. Throws RegistrationError. */
export function parseServiceTarget(text: string): ServiceTarget {
  const match = /^([^/:]+)\/([^/:]+)(?::([0-9]+))?$/.exec(text);
  const [, namespace = '', name = '', port = String(servicePort)] = match ?? [];
  if (match === null)
    throw new RegistrationError(`"${text}" is not NAMESPACE/NAME[:PORT] of a Service, e.g. wardle/api:443`);
  const [reason] = [...isDNS1123Label(namespace), ...isDNS1035Label(name)];
  if (reason !== undefined) throw new RegistrationError(`Service "${text}": ${reason}`);
  return { namespace, name, port: checkPort(text, Number(port)) };
}

/** Checks the name of a namespace. Throws RegistrationError. */
export function parseNamespace(text: string): string {
  const [reason] = isDNS1123Label(text);
  if (reason !== undefined) throw new RegistrationError(`namespace "${text}": ${reason}`);
  return text;
}

function checkPort(text: string, port: number): number {
  if (port < 1 || port > 65_535) throw new RegistrationError(`"${text}": the port must be between 1 and 65535`);
  return port;
}

/** Whether a host is only reachable from its own machine. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host.startsWith('127.') || (isIPv6(host) && new URL(`http://[${host}]`).hostname === '[::1]');
