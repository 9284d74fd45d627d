import { goQuote } from '@apichain/go-text';
import { type KubeObject } from '@apichain/meta';
import { integer, record, records, text, texts } from '../fields.ts';
import { lookedUp, type ObjectLookup } from '../object-lookup.ts';
import type { ServiceResolver } from './client.ts';

/**
 * Finds the address of a Service by its ClusterIP, or with `endpoints` (--enable-aggregator-routing) that of one of its ready endpoints.
 * After k8s.io/apiserver/pkg/util/proxy.
 */
export function serviceResolver(lookup: ObjectLookup, endpoints = false): ServiceResolver {
  return {
    async resolve(namespace, name, port) {
      const service =
        (await lookup.get(lookedUp.services, namespace, name)) ??
        (await lookup.live(lookedUp.services, namespace, name));
      if (service === undefined) throw new Error(`service ${goQuote(name)} not found`);
      const spec = record(service.spec);
      const type = text(spec.type) || 'ClusterIP';
      if (type === 'ExternalName') return { host: text(spec.externalName), port };
      const servicePort = records(spec.ports).find((candidate) => integer(candidate.port) === port);
      if (endpoints) {
        if (servicePort === undefined) throw new Error(`no service port ${port} found for service ${goQuote(name)}`);
        const slices = await lookup.list(lookedUp.endpointSlices, namespace);
        return readyEndpoint(slices, name, text(servicePort.name));
      }
      if (!['ClusterIP', 'LoadBalancer', 'NodePort'].includes(type))
        throw new Error(`unsupported service type ${goQuote(type)}`);
      if (spec.clusterIP === 'None') throw new Error('cannot route to service with ClusterIP "None"');
      if (servicePort === undefined) throw new Error(`no service port ${port} found for service ${goQuote(name)}`);
      return { host: text(spec.clusterIP), port };
    },
  };
}

function readyEndpoint(slices: readonly KubeObject[], service: string, portName: string) {
  const ready = slices
    .filter((slice) => slice.metadata.labels?.['kubernetes.io/service-name'] === service)
    .flatMap((slice) => {
      const port = records(slice.ports).find((candidate) => text(candidate.name) === portName);
      const number = integer(port?.port);
      if (number === undefined) return [];
      return records(slice.endpoints)
        .filter((endpoint) => record(endpoint.conditions).ready !== false)
        .flatMap((endpoint) => texts(endpoint.addresses))
        .map((host) => ({ host, port: number }));
    });
  const chosen = ready[Math.floor(Math.random() * ready.length)];
  if (chosen === undefined) throw new Error(`no endpoints available for service ${goQuote(service)}`);
  return chosen;
}
