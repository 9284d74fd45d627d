import { goQuote } from '@apichain/go-text';
import type { Service } from '@apichain/api/core/v1';
import type { EndpointSlice } from '@apichain/api/discovery/v1';
import { lookedUp, type ObjectLookup } from '../object-lookup.ts';
import type { ServiceResolver } from './client.ts';

/**
 * How a service is reached: at its ClusterIP, at one of its ready endpoints (`--enable-aggregator-routing`), or, where there are no Service
 * objects, at the address that DNS has for NAME.NAMESPACE.svc.
 */
export type ServiceRouting = 'cluster-ip' | 'endpoints' | 'dns';

/** Resolves services. After pkg/util/proxy and pkg/util/webhook/serviceresolver.go of k8s.io/apiserver. */
export function serviceResolver(lookup: ObjectLookup, routing: ServiceRouting = 'cluster-ip'): ServiceResolver {
  return routing === 'dns' ? dnsResolver : objectResolver(lookup, routing === 'endpoints');
}

const dnsResolver: ServiceResolver = {
  resolve: (namespace, name, port) => Promise.resolve({ host: `${name}.${namespace}.svc`, port }),
};

function objectResolver(lookup: ObjectLookup, endpoints: boolean): ServiceResolver {
  return {
    async resolve(namespace, name, port) {
      const service: Service | undefined =
        (await lookup.get(lookedUp.services, namespace, name)) ??
        (await lookup.live(lookedUp.services, namespace, name));
      if (service === undefined) throw new Error(`service ${goQuote(name)} not found`);
      const spec = service.spec ?? {};
      const type = spec.type || 'ClusterIP';
      if (type === 'ExternalName') return { host: spec.externalName ?? '', port };
      const servicePort = (spec.ports ?? []).find((candidate) => candidate.port === port);
      if (endpoints) {
        if (servicePort === undefined) throw new Error(`no service port ${port} found for service ${goQuote(name)}`);
        const slices = await lookup.list(lookedUp.endpointSlices, namespace);
        return readyEndpoint(slices, name, servicePort.name ?? '');
      }
      if (!['ClusterIP', 'LoadBalancer', 'NodePort'].includes(type))
        throw new Error(`unsupported service type ${goQuote(type)}`);
      if (spec.clusterIP === 'None') throw new Error('cannot route to service with ClusterIP "None"');
      if (servicePort === undefined) throw new Error(`no service port ${port} found for service ${goQuote(name)}`);
      return { host: spec.clusterIP ?? '', port };
    },
  };
}

/**
 * Resolves a Service to its name in the DNS of the cluster, for a server that runs in the cluster and need not read Services.
 * After NewDefaultServiceResolver of k8s.io/apiserver/pkg/util/webhook.
 */
export const dnsServiceResolver: ServiceResolver = {
  resolve: (namespace, name, port) => ({ host: `${name}.${namespace}.svc`, port }),
};

function readyEndpoint(slices: readonly EndpointSlice[], service: string, portName: string) {
  const ready = slices
    .filter((slice) => slice.metadata.labels?.['kubernetes.io/service-name'] === service)
    .flatMap((slice) => {
      const port = (slice.ports ?? []).find((candidate) => (candidate.name ?? '') === portName);
      const number = port?.port;
      if (number === undefined) return [];
      return (slice.endpoints ?? [])
        .filter((endpoint) => endpoint.conditions?.ready !== false)
        .flatMap((endpoint) => endpoint.addresses ?? [])
        .map((host) => ({ host, port: number }));
    });
  const chosen = ready[Math.floor(Math.random() * ready.length)];
  if (chosen === undefined) throw new Error(`no endpoints available for service ${goQuote(service)}`);
  return chosen;
}
