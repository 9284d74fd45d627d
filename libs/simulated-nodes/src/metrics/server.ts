import type { APIService } from '@apichain/api/apiregistration/v1';
import type { Service } from '@apichain/api/core/v1';
import type { ResourceReference, RestClient } from '@apichain/client';
import {
  addressAnnotation,
  errorMessage,
  isStatusError,
  type KubeObject,
  newNotFound,
  StatusError,
} from '@apichain/meta';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Nodes } from '../nodes/nodes.ts';
import { type RunningTlsServer, serveTls } from '../tls-server.ts';
import { group, MetricsApi, version } from './api.ts';
import { metricsService, type MetricsServing } from './serving.ts';

const services: ResourceReference<Service> = {
  group: '',
  version: 'v1',
  resource: 'services',
  namespace: metricsService.namespace,
};
const apiServices: ResourceReference<APIService> = {
  group: 'apiregistration.k8s.io',
  version: 'v1',
  resource: 'apiservices',
};

/** Serves metrics.k8s.io for the simulated nodes and their pods. Rejects when it cannot listen. */
export function serveMetrics(serving: MetricsServing, nodes: Nodes, signal: AbortSignal): Promise<RunningTlsServer> {
  const api = new MetricsApi(nodes);
  return serveTls(serving, { serve: (request, response) => respond(api, request, response) }, signal);
}

function respond(api: MetricsApi, request: IncomingMessage, response: ServerResponse): void {
  const send = (status: number, body: object) => {
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  };
  try {
    const url = new URL(request.url ?? '/', 'https://metrics');
    const body = request.method === 'GET' ? api.get(url) : undefined;
    if (body === undefined) throw newNotFound({ group, resource: '' }, url.pathname);
    send(200, body);
  } catch (error) {
    if (error instanceof StatusError) send(error.code, error.status);
    else send(400, { kind: 'Status', apiVersion: 'v1', status: 'Failure', message: errorMessage(error), code: 400 });
  }
}

/** Registers the server with the aggregator, in the place of an earlier one. */
export async function registerMetrics(client: RestClient, serving: MetricsServing, port: number): Promise<void> {
  const address = serving.address ?? '127.0.0.1';
  await put(client, services, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { ...metricsService },
    // An external name is not an address.
    spec: { type: 'ExternalName', externalName: address === '127.0.0.1' ? 'localhost' : address },
  });
  await put(client, apiServices, {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: `${version}.${group}`, annotations: { [addressAnnotation]: `${address}:${port}` } },
    spec: {
      group,
      version,
      groupPriorityMinimum: 100,
      versionPriority: 100,
      caBundle: Buffer.from(serving.caBundle).toString('base64'),
      service: { ...metricsService, port },
    },
  });
}

async function put<Kind extends KubeObject>(
  client: RestClient,
  ref: ResourceReference<Kind>,
  object: NoInfer<Kind>,
): Promise<void> {
  try {
    await client.create(ref, object);
  } catch (error) {
    if (!isStatusError(error, 'AlreadyExists')) throw error;
    const { name = '' } = object.metadata;
    await client.patch(ref, name, 'merge', { metadata: object.metadata, spec: object['spec'] });
  }
}
