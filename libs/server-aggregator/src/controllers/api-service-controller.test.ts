import { Informer, RestClient, type Transport, type TransportRequest } from '@apichain/client';
import type { KubeObject } from '@apichain/meta';
import { PathMux } from '@apichain/request';
import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { type ApiService, apiServices } from '../apiservice/api-service.ts';
import { AggregatedGroups } from '../discovery/group-source.ts';
import { RemoteOpenApi } from '../openapi/remote-documents.ts';
import { Routes } from '../routing/routes.ts';
import { nameResolver } from '../routing/service-resolver.ts';
import { ApiServiceController } from './api-service-controller.ts';
import { AvailabilityMetrics } from './availability-metrics.ts';

/** A server with one APIService, whose watch sends what the test gives it. */
class OneApiService implements Transport {
  readonly updates: ApiService[] = [];
  readonly #stored: ApiService;
  #event = Promise.withResolvers<object>();

  constructor(stored: ApiService) {
    this.#stored = stored;
  }

  send({ method, path, body }: TransportRequest) {
    if (method === 'PUT') this.updates.push(JSON.parse(String(body)) as ApiService);
    const list = {
      kind: 'APIServiceList',
      apiVersion: 'v1',
      metadata: { resourceVersion: '1' },
      items: [this.#stored],
    };
    return Promise.resolve(
      respond(path.includes('watch=true') ? this.#watch() : [method === 'PUT' ? this.#stored : list]),
    );
  }

  deliver(object: KubeObject): void {
    this.#event.resolve({ type: 'MODIFIED', object });
    this.#event = Promise.withResolvers();
  }

  async *#watch(): AsyncGenerator<object> {
    for (;;) yield await this.#event.promise;
  }

  close = () => Promise.resolve();
}

function respond(objects: AsyncIterable<object> | Iterable<object>) {
  async function* body() {
    for await (const object of objects) yield Buffer.from(`${JSON.stringify(object)}\n`);
  }
  return { status: 200, headers: {}, body: Object.assign(body(), { dump: () => Promise.resolve() }) };
}

const apiService = (resourceVersion: string): ApiService => ({
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name: 'v1.example.com', resourceVersion },
  spec: {
    ...{ group: 'example.com', version: 'v1', groupPriorityMinimum: 1000, versionPriority: 15 },
    service: { namespace: 'default', name: 'extension', port: 443 },
  },
});

describe('the controller of APIServices', () => {
  it('decides by its own last write, not by an object that the informer still has', async () => {
    const server = new OneApiService(apiService('1'));
    const client = new RestClient(server);
    const informer = new Informer({ client, resource: apiServices });
    const routes = new Routes(new PathMux(), nameResolver, {});
    const found: { service?: KubeObject } = {};
    const controller = new ApiServiceController({
      client,
      informer,
      lookup: { service: () => found.service, endpointSlices: () => [] },
      routes,
      groups: new AggregatedGroups(() => Promise.resolve([]), routes.services),
      openApi: new RemoteOpenApi(),
      writes: true,
      metrics: new AvailabilityMetrics(new Registry()),
      onError: (_name, error) => assert.fail(String(error)),
    });
    const stop = new AbortController();
    await informer.start().waitForSync();
    const running = controller.run(stop.signal);
    while (server.updates.length < 1) await nextTurn();
    // The Service appears before the watch has delivered what was written: a proxy that became available now would lose that with the next event.
    found.service = { apiVersion: 'v1', kind: 'Service', metadata: {} };
    controller.serviceChanged('default', 'extension');
    for (let turns = 0; turns < 20; turns++) await nextTurn();
    server.deliver({ ...apiService('2'), status: server.updates[0]?.status });
    while (server.updates.at(-1)?.metadata.resourceVersion !== '2') await nextTurn();
    assert.deepEqual(
      server.updates.map(({ metadata, status }) => [metadata.resourceVersion, status?.conditions?.[0]?.reason]),
      [
        ['1', 'ServiceNotFound'],
        ['2', 'ServicePortError'],
      ],
    );
    stop.abort();
    await running;
    routes.close();
  });
});
