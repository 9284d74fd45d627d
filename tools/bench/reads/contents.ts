import { repeat } from '../../servers/parallel.ts';
import type { BenchClient } from '../exchange.ts';
import { create, createNamespace, define, podOf } from '../prepare.ts';
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

const pod = (i: number) => json(podOf(`pod-${i}`, { app: 'bench', shard: `s${i % 10}` }));

/** How many objects of each kind are stored. */
export interface Amounts {
  readonly large: number;
  readonly pods: number;
  readonly custom: number;
}

/** Gives the two users their rights, and stores the objects that are read. Throws Error when a write is refused. */
export async function store(
  client: BenchClient,
  { large, pods, custom }: Amounts,
  webhook: ConversionWebhook,
): Promise<readonly Collection[]> {
  const rbac = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';
  for (const user of users) {
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' };
    const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }];
    await create(client, rbac, { ...metadata(`bench-${user}`), roleRef, subjects });
  }
  for (const name of ['neighbour', 'large', 'pods', 'custom']) await createNamespace(client, `bench-${name}`);
  await create(client, '/api/v1/namespaces/bench-neighbour/configmaps', metadata('mine'));
  if (custom > 0) await define(client, customDefinition(webhook), customPath('v1', 'bench-custom'));
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
  for (const { path, count, body } of collections)
    await repeat(count, (i) => client.read('POST', path, { body: body(i) }), inFlight);
  const converted = { name: `${custom} custom, converted`, path: customPath('v2', 'bench-custom') };
  return custom > 0 ? [...collections, converted] : collections;
}
