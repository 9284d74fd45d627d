import { goQuote } from '@apichain/go-text';
import { addressAnnotation, type KubeObject } from '@apichain/meta';
import type { ApiService } from '../apiservice/api-service.ts';

/** What the aggregator reads of a Service. */
export interface ServiceParts extends KubeObject {
  spec?: {
    type?: string;
    clusterIP?: string;
    externalName?: string;
    ports?: { name?: string; port: number }[];
  };
}

/** What the aggregator reads of an EndpointSlice. */
export interface EndpointSliceParts extends KubeObject {
  endpoints?: { addresses?: string[]; conditions?: { ready?: boolean } }[];
  ports?: { name?: string; port?: number }[];
}

/** Looks up Services and their EndpointSlices in the informers. */
export interface ServiceLookup {
  service(namespace: string, name: string): ServiceParts | undefined;
  endpointSlices(namespace: string, serviceName: string): EndpointSliceParts[];
}

export interface ServiceLocation {
  readonly host: string;
  readonly port: number;
}

/** Resolves the address of an APIService's service. Throws Error with the text that clients see. */
export interface ServiceResolver {
  resolve(namespace: string, name: string, port: number, apiService: ApiService): ServiceLocation;
}

/**
 * For a chain without Service objects: the address in the annotation of the APIService, else NAME.NAMESPACE.svc, which DNS resolves. The
 * certificate of the server is for that name in both cases.
 */
export const nameResolver: ServiceResolver = {
  resolve(namespace, name, port, { metadata }) {
    const address = metadata.annotations?.[addressAnnotation];
    if (address === undefined) return { host: `${name}.${namespace}.svc`, port };
    const url = URL.parse(`https://${address}`);
    if (url === null || url.host === '' || url.href !== `https://${url.host}/`)
      throw new Error(`the annotation ${addressAnnotation} is not HOST or HOST:PORT: ${goQuote(address)}`);
    return {
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port === '' ? portOf(address, port) : Number(url.port),
    };
  },
};

/** A URL does not show the default port of https, even if it is given. */
const portOf = (address: string, otherwise: number): number => (address.endsWith(':443') ? 443 : otherwise);

/** By ClusterIP, as kube-apiserver does without --enable-aggregator-routing. */
export function clusterIpResolver(lookup: ServiceLookup): ServiceResolver {
  return {
    resolve(namespace, name, port) {
      const spec = required(lookup, namespace, name).spec ?? {};
      const type = spec.type ?? 'ClusterIP';
      if (type === 'ExternalName') return { host: spec.externalName ?? '', port };
      if (type !== 'ClusterIP' && type !== 'LoadBalancer' && type !== 'NodePort')
        throw new Error(`unsupported service type ${JSON.stringify(type)}`);
      if (spec.clusterIP === 'None') throw new Error('cannot route to service with ClusterIP "None"');
      if (!(spec.ports ?? []).some((candidate) => candidate.port === port))
        throw new Error(`no service port ${port} found for service ${JSON.stringify(name)}`);
      return { host: spec.clusterIP ?? '', port };
    },
  };
}

/** By a ready endpoint chosen at random (--enable-aggregator-routing): works where no kube-proxy routes ClusterIPs. */
export function endpointResolver(lookup: ServiceLookup): ServiceResolver {
  return {
    resolve(namespace, name, port) {
      const spec = required(lookup, namespace, name).spec ?? {};
      const type = spec.type ?? 'ClusterIP';
      if (type === 'ExternalName') return { host: spec.externalName ?? '', port };
      const servicePort = (spec.ports ?? []).find((candidate) => candidate.port === port);
      if (servicePort === undefined)
        throw new Error(`no service port ${port} found for service ${JSON.stringify(name)}`);
      const ready = lookup.endpointSlices(namespace, name).flatMap((slice) => {
        const slicePort = slice.ports?.find((candidate) => (candidate.name ?? '') === (servicePort.name ?? ''))?.port;
        if (slicePort === undefined) return [];
        return (slice.endpoints ?? [])
          .filter((endpoint) => endpoint.conditions?.ready !== false)
          .flatMap((endpoint) => (endpoint.addresses ?? []).map((host) => ({ host, port: slicePort })));
      });
      const chosen = ready[Math.floor(Math.random() * ready.length)];
      if (chosen === undefined) throw new Error(`no endpoints available for service ${JSON.stringify(name)}`);
      return chosen;
    },
  };
}

function required(lookup: ServiceLookup, namespace: string, name: string): ServiceParts {
  const service = lookup.service(namespace, name);
  if (service === undefined) throw new Error(`service ${JSON.stringify(name)} not found`);
  return service;
}
