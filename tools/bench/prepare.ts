import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchClient } from './exchange.ts';

type Reader = Pick<BenchClient, 'read'>;

const servedMs = 30_000;

/** Creates an object. One that exists stays. */
export async function create(client: Reader, path: string, object: object): Promise<void> {
  await client.read('POST', path, { body: JSON.stringify(object), accept: [409] });
}

/** Creates a namespace in which pods can be created. */
export async function createNamespace(client: Reader, name: string): Promise<void> {
  await create(client, '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } };
  await create(client, `/api/v1/namespaces/${name}/serviceaccounts`, account);
}

/** Defines a custom resource. Resolves when the collection is served. Throws Error after 30 seconds. */
export async function define(client: Reader, definition: object, collection: string): Promise<void> {
  await create(client, '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
  for (const end = Date.now() + servedMs; ; await sleep(100)) {
    // kube-apiserver responds with 429 until the storage of the kind is ready.
    const list = await client.read('GET', collection, { accept: [404, 429] });
    if (list.includes('"items"')) return;
    if (Date.now() > end) throw new Error(`${collection} is not served`);
  }
}

/** A pod of a usual size, and what differs in it. */
export const podOf = (name: string, labels: Readonly<Record<string, string>>, annotations = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels, annotations },
  spec: {
    serviceAccountName: 'default',
    automountServiceAccountToken: false,
    containers: [
      {
        name: 'main',
        image: 'registry.example.com/team/app:1.2.3',
        args: ['--listen=:8080', '--verbose'],
        env: [
          { name: 'MODE', value: 'production' },
          { name: 'REGION', value: 'north' },
        ],
        ports: [{ containerPort: 8080, name: 'http' }],
        resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
        readinessProbe: { httpGet: { path: '/healthz', port: 8080 } },
      },
    ],
  },
});
