import { setTimeout as sleep } from 'node:timers/promises';
import type { LatencyClient } from '../latency/client.ts';
import { customDefinition, customObject, customPath, type ConversionWebhook } from './custom-resources.ts';

/** A stored collection that is read. */
export interface Collection {
  readonly name: string;
  readonly path: string;
}

/** The users of the benchmark beside the administrator; each has a token of the same name. */
export const users = ['reader', 'neighbour'] as const;
/** The small object that the neighbour reads. */
export const neighbourPath = '/api/v1/namespaces/bench-neighbour/configmaps/mine';

const inFlight = 8;
/** With 45,000 members an object has 1.1 MB. */
const membersOfLarge = 45_000;

const json = (value: unknown) => JSON.stringify(value);
const metadata = (name: string) => ({ metadata: { name } });

function largeConfigMap(i: number): string {
  const data = Object.fromEntries(Array.from({ length: membersOfLarge }, (_, n) => [`key-${n}`, `value${n}`]));
  return json({ apiVersion: 'v1', kind: 'ConfigMap', ...metadata(`large-${i}`), data });
}

function pod(i: number): string {
  const container = {
    name: 'main',
    image: 'registry.example.com/team/app:1.2.3',
    args: ['--listen=:8080', '--verbose'],
    env: [{ name: 'MODE', value: 'production' }],
    resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
    readinessProbe: { httpGet: { path: '/healthz', port: 8080 } },
  };
  const spec = { serviceAccountName: 'default', automountServiceAccountToken: false, containers: [container] };
  const labels = { app: 'bench', shard: `s${i % 10}` };
  return json({ apiVersion: 'v1', kind: 'Pod', metadata: { name: `pod-${i}`, labels }, spec });
}

async function create(client: LatencyClient, path: string, count: number, body: (i: number) => string): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let i = next++; i < count; i = next++) await client.call('POST', path, body(i));
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
}

/** How many objects of each kind are stored. */
export interface Amounts {
  readonly large: number;
  readonly pods: number;
  readonly custom: number;
}

const servedMs = 30_000;

/** Defines the custom resources. Resolves when they are served. */
async function define(client: LatencyClient, webhook: ConversionWebhook): Promise<void> {
  const root = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  await client.call('POST', root, json(customDefinition(webhook)));
  for (const end = Date.now() + servedMs; ; await sleep(100)) {
    const answer = await client.call('GET', customPath('v1', 'bench-custom'), undefined, [404]);
    if (answer.includes('RecordList')) return;
    if (Date.now() > end) throw new Error('the custom resources are not served');
  }
}

/** Gives the two users their rights, and stores the objects that are read. Throws Error when a write is refused. */
export async function store(
  client: LatencyClient,
  { large, pods, custom }: Amounts,
  webhook: ConversionWebhook,
): Promise<readonly Collection[]> {
  const rbac = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';
  for (const user of users) {
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' };
    const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }];
    await client.call('POST', rbac, json({ ...metadata(`bench-${user}`), roleRef, subjects }));
  }
  for (const name of ['neighbour', 'large', 'pods', 'custom'].map((each) => `bench-${each}`)) {
    await client.call('POST', '/api/v1/namespaces', json(metadata(name)));
    await client.call('POST', `/api/v1/namespaces/${name}/serviceaccounts`, json(metadata('default')));
  }
  await client.call('POST', '/api/v1/namespaces/bench-neighbour/configmaps', json(metadata('mine')));
  if (custom > 0) await define(client, webhook);
  const largeCustom = (i: number) => json(customObject(`record-${i}`, membersOfLarge));
  const collections = [
    {
      name: `${large} config maps`,
      path: '/api/v1/namespaces/bench-large/configmaps',
      count: large,
      body: largeConfigMap,
    },
    { name: `${pods} pods`, path: '/api/v1/namespaces/bench-pods/pods', count: pods, body: pod },
    { name: `${custom} custom`, path: customPath('v1', 'bench-custom'), count: custom, body: largeCustom },
  ].filter(({ count }) => count > 0);
  for (const { path, count, body } of collections) await create(client, path, count, body);
  const converted = { name: `${custom} custom, converted`, path: customPath('v2', 'bench-custom') };
  return custom > 0 ? [...collections, converted] : collections;
}
