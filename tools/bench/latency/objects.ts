import { definitionOf, versionOf } from '../../servers/definition.ts';
import type { BenchClient } from '../exchange.ts';
import { create, createNamespace, define } from '../prepare.ts';

/** The objects that are written, and which watches there are. */

export const namespaces = 10;
export const kinds = ['pods', 'configmaps', 'records'] as const;
export type Kind = (typeof kinds)[number];

const group = 'latency.example.com';
const groupPath: Readonly<Record<Kind, string>> = {
  pods: '/api/v1',
  configmaps: '/api/v1',
  records: `/apis/${group}/v1`,
};

const namespaceOf = (writer: number) => `latency-${String(writer % namespaces)}`;
const nameOf = (writer: number) => `object-${String(writer)}`;

/** The path of the object that a writer writes. */
export const objectPath = (kind: Kind, writer: number): string =>
  `${groupPath[kind]}/namespaces/${namespaceOf(writer)}/${kind}/${nameOf(writer)}`;

/** The path of the collection of an object. */
const collectionPath = (kind: Kind, writer: number) => `${groupPath[kind]}/namespaces/${namespaceOf(writer)}/${kind}`;

/** A watch: which of the objects it selects, and its path. */
export interface WatchPlan {
  readonly path: string;
  selects(kind: Kind, writer: number): boolean;
}

/** The watch of a number: of each kind in turn; of three, one follows everything, one a namespace and one a name. */
export function watchPlan(number: number, writers: number): WatchPlan {
  const kind = kinds[number % kinds.length] ?? 'pods';
  const form = Math.floor(number / kinds.length) % 3;
  const writer = Math.floor(number / (kinds.length * 3)) % writers;
  if (form === 0) return { path: `${groupPath[kind]}/${kind}`, selects: (its) => its === kind };
  if (form === 1) {
    const selects = (its: Kind, by: number) => its === kind && by % namespaces === writer % namespaces;
    return { path: collectionPath(kind, writer), selects };
  }
  return {
    path: `${groupPath[kind]}/${kind}?fieldSelector=metadata.name%3D${nameOf(writer)}`,
    selects: (its, by) => its === kind && by === writer,
  };
}

const padding = 'x'.repeat(300);

function objectOf(kind: Kind, writer: number): object {
  const metadata = { name: nameOf(writer), annotations: { n: '-1', padding } };
  if (kind === 'configmaps') return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { padding } };
  if (kind === 'records') return { apiVersion: `${group}/v1`, kind: 'Record', metadata, spec: { text: padding } };
  const containers = [{ name: 'main', image: 'registry.example.com/team/app:1.2.3', args: ['--listen=:8080'] }];
  const spec = { serviceAccountName: 'default', automountServiceAccountToken: false, containers };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec };
}

const record = { spec: { type: 'object', properties: { text: { type: 'string' } } } };

/** Creates the namespaces and the objects of `writers` writers. What exists stays. Throws Error when the custom resource is not served in time. */
export async function prepareObjects(client: BenchClient, writers: number): Promise<void> {
  for (let i = 0; i < namespaces; i++) await createNamespace(client, `latency-${String(i)}`);
  await define(client, definitionOf(group, 'Record', [versionOf('v1', record)]), `${groupPath.records}/records`);
  for (const kind of kinds)
    for (let writer = 0; writer < writers; writer++)
      await create(client, collectionPath(kind, writer), objectOf(kind, writer));
}
