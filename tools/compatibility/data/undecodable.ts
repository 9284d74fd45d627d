import { setTimeout as sleep } from 'node:timers/promises';
import { isRecord } from '@apichain/meta';
import { compare } from '../../conformance/compare.ts';
import type { RawResponse } from './api-server.ts';
import { firstDifference } from './canonical-text.ts';
import { Cluster, type Programs } from './cluster.ts';
import type { Findings } from './findings.ts';
import { definitions } from './objects.ts';

const run = 'broken';
const group = `${run}.example.com`;
const mostRetries = 30;

/** Replaces a member of the metadata of a JSON document. */
const withMetadata = (name: string, member: unknown) => (value: Buffer) => {
  const object = JSON.parse(value.toString()) as { metadata: Record<string, unknown> };
  return Buffer.from(JSON.stringify({ ...object, metadata: { ...object.metadata, [name]: member } }));
};

/** What has become of a stored value, by name. */
type Damages = Readonly<Record<string, (value: Buffer) => Buffer>>;

const cutOff = 'k8s\0\n\x0f\n\x02v1\x12\x09ConfigMap\x12\x40\x0a';
const undecodable: Damages = {
  'no JSON': () => Buffer.from('{"kind":'),
  'another text': () => Buffer.from('lost'),
  'cut off': (value) => value.subarray(0, value.length - 20),
  'protobuf cut off': () => Buffer.from(cutOff, 'latin1'),
};
/** Of custom resources, which both servers also read as CBOR. */
const damagedCbor: Damages = {
  'CBOR cut off': () => Buffer.from('d9d9f7a2446b696e6446476164', 'hex'),
  'CBOR without a map': () => Buffer.from('d9d9f701', 'hex'),
  'CBOR with a name twice': () => Buffer.from('d9d9f7a2416101416102', 'hex'),
};
/** kube-apiserver decodes the metadata of custom resources without what is wrong in it. */
const faultyMetadata: Damages = {
  'labels are a number': withMetadata('labels', 5),
  'an annotation is a number': withMetadata('annotations', { a: 1 }),
  'generation is a text': withMetadata('generation', 'x'),
  'creationTimestamp is no time': withMetadata('creationTimestamp', 'never'),
  'ownerReferences is a text': withMetadata('ownerReferences', 'x'),
  'finalizers hold a number': withMetadata('finalizers', [1]),
  'managedFields is a number': withMetadata('managedFields', 1),
};

interface Kind {
  readonly collection: string;
  readonly object: Readonly<Record<string, unknown>> & { readonly kind: string };
  readonly damages: Damages;
}

const configMaps: Kind = {
  collection: 'api/v1/namespaces/NS/configmaps',
  object: { apiVersion: 'v1', kind: 'ConfigMap', data: { a: 'b' } },
  damages: undecodable,
};
const gadgets: Kind = {
  collection: `apis/${group}/v1/namespaces/NS/gadgets`,
  object: { apiVersion: `${group}/v1`, kind: 'Gadget', spec: { text: 'x' } },
  damages: { ...undecodable, ...damagedCbor, ...faultyMetadata },
};

/** One object of a namespace that cannot be decoded, or whose metadata cannot: what reads, lists, watches and writes return. */
export async function compareUndecodable(programs: Programs, findings: Findings): Promise<void> {
  const cluster = await Cluster.start(programs);
  const { kubeApiserver, chain } = cluster;
  try {
    for (const server of [kubeApiserver, chain]) await server.start(['--storage-media-type=application/json']);
    await cluster.define(definitions(run), [`/apis/${group}/v1/gadgets`]);
    for (const kind of [configMaps, gadgets])
      for (const [index, [name, damage]] of Object.entries(kind.damages).entries())
        await compareDamage(cluster, findings, `n${index}`, name, damage, kind);
  } finally {
    await cluster.stop();
  }
}

async function compareDamage(
  cluster: Cluster,
  findings: Findings,
  namespace: string,
  name: string,
  damage: (value: Buffer) => Buffer,
  { collection, object }: Kind,
): Promise<void> {
  const { kubeApiserver, chain } = cluster;
  const path = `/${collection.replace('NS', namespace)}`;
  const what = `one undecodable ${object.kind}`;
  const namespaceObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
  await kubeApiserver.send('POST', '/api/v1/namespaces', { body: namespaceObject });
  for (const each of ['good', 'bad'])
    await kubeApiserver.json('POST', path, { body: { ...object, metadata: { name: each } } });
  const stored = await cluster.stored();
  const bad = stored.find(({ key }) => key.includes(path.split('/').at(-1) ?? '') && key.endsWith(`/${namespace}/bad`));
  if (bad === undefined) throw new Error(`${path}/bad is not stored`);
  await cluster.put(bad.key, damage(bad.value));
  await sleep(300);
  const same = async (method: 'GET' | 'PATCH' | 'DELETE' | 'PUT', where: string, body?: unknown) => {
    const actual = await chain.send(method, where, { body });
    let expected = await kubeApiserver.send(method, where, { body });
    // It refuses lists for some seconds, while its cache lists again.
    for (let attempt = 0; attempt < mostRetries && expected.status === 429; attempt++) {
      await sleep(1_000);
      expected = await kubeApiserver.send(method, where, { body });
    }
    const difference = differenceOf(expected, actual);
    findings.check(what, difference === undefined ? undefined : `${name}: ${method} ${where}\n${difference}`);
  };
  await same('GET', `${path}/good`);
  await same('GET', `${path}/bad`);
  await same('GET', path);
  await same('GET', `${path}?limit=1`);
  await same('PATCH', `${path}/bad?dryRun=All`, { metadata: { labels: { a: 'b' } } });
  await same('PUT', `${path}/bad?dryRun=All`, { ...object, metadata: { name: 'bad' } });
  await same('DELETE', `${path}/bad?dryRun=All`);
  await same('DELETE', `${path}?dryRun=All`);
  await cluster.remove(bad.key);
  await sleep(300);
  await same('GET', path);
}

/** The difference of two responses. The texts of errors of JSON and YAML readers are not compared, nor is the order of members. */
function differenceOf(expected: RawResponse, actual: RawResponse): string | undefined {
  const statuses = [String(expected.status), String(actual.status)] as const;
  if (statuses[0] !== statuses[1])
    return firstDifference(`${statuses[0]} ${expected.bytes.toString()}`, `${statuses[1]} ${actual.bytes.toString()}`);
  if (expected.status === 500) return undefined;
  const bodies = [
    JSON.parse(expected.bytes.toString()) as unknown,
    JSON.parse(actual.bytes.toString()) as unknown,
  ] as const;
  const [difference] = compare(withoutContinue(bodies[0]), withoutContinue(bodies[1]), 'body');
  return difference === undefined ? undefined : JSON.stringify(difference);
}

/**
 * A list without its token and version. kube-apiserver begins the key in the token with a slash for custom resources, and reads it with and without
 * one. The servers renew their leases between the two reads.
 */
function withoutContinue(body: unknown): unknown {
  if (!isRecord(body) || !isRecord(body['metadata']) || !('items' in body)) return body;
  const { continue: _token, resourceVersion: _version, ...metadata } = body['metadata'];
  return { ...body, metadata };
}
