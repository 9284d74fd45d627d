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
import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Nodes } from '../nodes/nodes.ts';
import { group, MetricsApi, version } from './api.ts';
import { metricsService, type MetricsServing } from './serving.ts';

/** A running server of metrics. */
export interface RunningMetricsServer {
  readonly port: number;
  readonly stopped: Promise<void>;
}

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
export async function serveMetrics(
  { certificate, key, clientCa, address = '127.0.0.1', port = 0 }: MetricsServing,
  nodes: Nodes,
  signal: AbortSignal,
): Promise<RunningMetricsServer> {
  const api = new MetricsApi(nodes);
  // Requests are answered by the clock of the caller, whoever opens the connection.
  const answer = AsyncResource.bind((request: IncomingMessage, response: ServerResponse) =>
    respond(api, request, response),
  );
  const tls = { cert: certificate, key, ca: clientCa, requestCert: true, rejectUnauthorized: true };
  const server = createServer(tls, answer);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, address, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const stopped = new Promise<void>((resolve) => {
    server.once('close', resolve);
    const stop = () => {
      server.close();
      server.closeAllConnections();
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  return { port: (server.address() as AddressInfo).port, stopped };
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
