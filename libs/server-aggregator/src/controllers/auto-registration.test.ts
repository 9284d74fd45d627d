import assert from 'node:assert/strict';
import { Informer, RestClient, type Transport, type TransportRequest } from '@apichain/client';
import type { KubeObject } from '@apichain/meta';
import { until } from '@apichain/meta/until.fixture';
import { autoManagedLabel } from '../apiservice/api-service.ts';
import { AutoRegistration } from './auto-registration.ts';

const path = '/apis/apiregistration.k8s.io/v1/apiservices';

/** An API server that keeps APIServices in a map and sends changes to its only watcher. */
class FakeServer implements Transport {
  readonly objects = new Map<string, KubeObject>();
  readonly writes: string[] = [];
  #notify: (line: string) => void = () => undefined;
  #revision = 1;

  async send(request: TransportRequest) {
    if (request.path.includes('watch=true')) return respond(this.#watch(request.signal));
    if (request.method === 'GET') {
      const list = {
        apiVersion: 'apiregistration.k8s.io/v1',
        kind: 'APIServiceList',
        metadata: { resourceVersion: '1' },
        items: [...this.objects.values()],
      };
      return respond([JSON.stringify(list)]);
    }
    const name = decodeURIComponent(request.path.slice(path.length + 1));
    if (request.method === 'DELETE') {
      const gone = this.objects.get(name);
      this.objects.delete(name);
      this.#event('DELETED', gone);
      this.writes.push(`delete ${name}`);
      return respond(['{}']);
    }
    const object = JSON.parse(String(request.body)) as KubeObject;
    this.put(object, this.objects.has(object.metadata.name ?? '') ? 'update' : 'create');
    return respond([JSON.stringify(object)]);
  }

  put(object: KubeObject, verb?: 'create' | 'update'): void {
    const name = object.metadata.name ?? '';
    const type = this.objects.has(name) ? 'MODIFIED' : 'ADDED';
    object.metadata.resourceVersion = String(++this.#revision);
    this.objects.set(name, object);
    if (verb !== undefined) this.writes.push(`${verb} ${name}`);
    this.#event(type, object);
  }

  #event(type: string, object: unknown): void {
    this.#notify(`${JSON.stringify({ type, object })}\n`);
  }

  async *#watch(signal?: AbortSignal): AsyncGenerator<string> {
    const pending: string[] = [];
    let wake = Promise.withResolvers<void>();
    this.#notify = (line) => {
      pending.push(line);
      wake.resolve();
    };
    signal?.addEventListener('abort', () => wake.resolve());
    while (signal?.aborted !== true) {
      await wake.promise;
      wake = Promise.withResolvers<void>();
      yield* pending.splice(0);
    }
  }

  async close(): Promise<void> {}
}

function respond(chunks: Iterable<string> | AsyncIterable<string>) {
  async function* body() {
    for await (const chunk of chunks) yield Buffer.from(chunk);
  }
  return { status: 200, headers: {}, body: Object.assign(body(), { dump: async () => {} }) };
}

function apiService(name: string, label: string | undefined, versionPriority = 15): KubeObject {
  const [version = ''] = name.split('.');
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name, ...(label === undefined ? {} : { labels: { [autoManagedLabel]: label } }) },
    spec: { group: name.slice(version.length + 1), version, groupPriorityMinimum: 1000, versionPriority },
  };
}

describe('AutoRegistration', () => {
  let server: FakeServer;
  let informer: Informer;
  let registration: AutoRegistration;
  const errors: unknown[] = [];

  beforeEach(() => {
    server = new FakeServer();
    const client = new RestClient(server);
    const resource = { group: 'apiregistration.k8s.io', version: 'v1', resource: 'apiservices' };
    informer = new Informer({ client, resource });
    registration = new AutoRegistration(client, informer, (_name, error) => errors.push(error));
  });
  afterEach(async () => {
    registration.stop();
    await informer.stop();
    assert.deepEqual(errors.splice(0), []);
  });

  const start = async () => {
    informer.start();
    await informer.waitForSync();
    void registration.run();
  };
  const crd = {
    group: 'example.com',
    version: 'v1',
    priority: { group: 1000, version: 100 },
    managed: 'true',
  } as const;

  it('creates what is desired, with its label and priorities', async () => {
    await start();
    registration.add(crd);
    await until(
      () => server.writes.length === 1,
      () => server.writes.join(),
    );
    const made = server.objects.get('v1.example.com');
    assert.equal(made?.metadata.labels?.[autoManagedLabel], 'true');
    assert.deepEqual(made?.spec, {
      group: 'example.com',
      version: 'v1',
      groupPriorityMinimum: 1000,
      versionPriority: 100,
    });
  });

  it('repairs and re-creates what it keeps all the time, and removes it in the end', async () => {
    await start();
    registration.add(crd);
    await until(
      () => server.objects.size === 1,
      () => server.writes.join(),
    );
    server.put(apiService('v1.example.com', 'true', 5));
    await until(
      () => server.writes.includes('update v1.example.com'),
      () => server.writes.join(),
    );
    registration.remove('example.com', 'v1');
    await until(
      () => server.objects.size === 0,
      () => server.writes.join(),
    );
  });

  it('leaves objects of users alone', async () => {
    server.put(apiService('v1.example.com', undefined, 7));
    await start();
    registration.add(crd);
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.deepEqual(server.writes, []);
    registration.remove('example.com', 'v1');
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(server.objects.size, 1);
  });

  it('lets users change what is managed on start', async () => {
    await start();
    registration.add({ group: 'apps', version: 'v1', priority: { group: 17_800, version: 15 }, managed: 'onstart' });
    await until(
      () => server.writes.length === 1,
      () => server.writes.join(),
    );
    assert.deepEqual(registration.missing(), []);
    await until(
      () => informer.get('v1.apps') !== undefined,
      () => 'the informer did not see it',
    );
    server.put(apiService('v1.apps', 'onstart', 3));
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.deepEqual(server.writes, ['create v1.apps']);
  });

  it('keeps a built-in version when a CustomResourceDefinition that shares it goes', async () => {
    server.put(apiService('v1.example.com', 'onstart', 5));
    registration.add({ ...crd, managed: 'onstart' });
    await start();
    await until(
      () => server.writes.includes('update v1.example.com'),
      () => server.writes.join(),
    );
    registration.add(crd);
    registration.remove('example.com', 'v1');
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.deepEqual(server.writes, ['update v1.example.com']);
    assert.equal(server.objects.get('v1.example.com')?.metadata.labels?.[autoManagedLabel], 'onstart');
  });

  it('removes what an earlier process left behind', async () => {
    server.put(apiService('v1.gone.example.com', 'true'));
    await start();
    await until(
      () => server.objects.size === 0,
      () => server.writes.join(),
    );
  });
});
