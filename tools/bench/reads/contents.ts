import { repeat } from '../../servers/parallel.ts';
import type { BenchClient } from '../exchange.ts';
import { createNamespace, define, podOf } from '../prepare.ts';
import { customDefinition, customObject, customPath, type ConversionWebhook } from './custom-resources.ts';

/** A stored collection that is read. */
export interface Collection {
  readonly name: string;
  readonly path: string;
}

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

/** Stores the objects that are read. Throws Error when a write is refused. */
export async function store(
  client: BenchClient,
  { large, pods, custom }: Amounts,
  webhook: ConversionWebhook,
): Promise<readonly Collection[]> {
  for (const name of ['large', 'pods', 'custom']) await createNamespace(client, `bench-${name}`);
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
