import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startFakePlugin } from '@apichain/storage-encryption/kms.fixture';
import { waitFor } from '../../servers/process.ts';
import type { RawResponse } from './api-server.ts';
import { Cluster, type Programs } from './cluster.ts';
import type { Findings } from './findings.ts';
import { definitions } from './objects.ts';
import { BothWatches, lastDifference, putBack, readDifference, textOf } from './reads.ts';

const run = 'sealed';
const group = `${run}.example.com`;
const key = (letter: string, length: number) => Buffer.alloc(length, letter).toString('base64');
const namespace = '/api/v1/namespaces/default';
const settleTimeoutMs = 30_000;

/** A kind of objects that is stored encrypted, and the beginning of its values. */
interface Sealed {
  readonly collection: string;
  readonly prefix: string;
  readonly object: (name: string) => Readonly<Record<string, unknown>>;
}

const withHead =
  (apiVersion: string, kind: string, fields: Readonly<Record<string, unknown>>) =>
  (name: string): Readonly<Record<string, unknown>> => ({ apiVersion, kind, metadata: { name }, ...fields });

/** Kinds of which the servers write none by themselves. */
const sealed: readonly Sealed[] = [
  {
    collection: `${namespace}/secrets`,
    prefix: 'k8s:enc:kms:v2:vault:',
    object: withHead('v1', 'Secret', { stringData: { a: 'b' } }),
  },
  {
    collection: `${namespace}/podtemplates`,
    prefix: 'k8s:enc:aescbc:v1:one:',
    object: withHead('v1', 'PodTemplate', { template: { spec: { containers: [{ name: 'a', image: 'a' }] } } }),
  },
  {
    collection: `${namespace}/limitranges`,
    prefix: 'k8s:enc:aesgcm:v1:one:',
    object: withHead('v1', 'LimitRange', { spec: { limits: [{ type: 'Pod', max: { cpu: '1' } }] } }),
  },
  {
    collection: '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies',
    prefix: 'k8s:enc:secretbox:v1:one:',
    object: withHead('networking.k8s.io/v1', 'NetworkPolicy', { spec: { podSelector: {} } }),
  },
  {
    collection: `/apis/${group}/v1/namespaces/default/gadgets`,
    prefix: 'k8s:enc:aescbc:v1:custom:',
    object: withHead(`${group}/v1`, 'Gadget', { spec: { text: 'x' } }),
  },
  {
    collection: '/apis/apps/v1/namespaces/default/controllerrevisions',
    prefix: 'k8s',
    object: withHead('apps/v1', 'ControllerRevision', { revision: 1, data: { a: 1 } }),
  },
];

/** The file of `--encryption-provider-config`. `keysOf` gives the keys of a provider, by the name of its resource. */
function configuration(kms: string, names: readonly string[]): string {
  const keys = (length: number) => names.map((name) => ({ name, secret: key(name.charAt(0), length) }));
  const identity = { identity: {} };
  return JSON.stringify({
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'EncryptionConfiguration',
    resources: [
      { resources: ['secrets'], providers: [{ kms: { apiVersion: 'v2', name: 'vault', endpoint: kms } }, identity] },
      { resources: ['podtemplates'], providers: [{ aescbc: { keys: keys(32) } }, identity] },
      { resources: ['limitranges'], providers: [{ aesgcm: { keys: keys(16) } }, identity] },
      { resources: ['networkpolicies.networking.k8s.io'], providers: [{ secretbox: { keys: keys(32) } }, identity] },
      {
        resources: [`gadgets.${group}`],
        providers: [{ aescbc: { keys: [{ name: 'custom', secret: key('c', 32) }] } }, identity],
      },
      { resources: ['*.apps'], providers: [identity] },
    ],
  });
}

/** Values encrypted by either server with one configuration are read, watched and changed by the other; keys are changed, and one is lost. */
export async function compareEncrypted(programs: Programs, findings: Findings): Promise<void> {
  const cluster = await Cluster.start(programs);
  const plugin = await startFakePlugin();
  const file = join(cluster.dir, 'encryption.json');
  const flags = [`--encryption-provider-config=${file}`, '--storage-media-type=application/vnd.kubernetes.protobuf'];
  const restart = async (names: readonly string[]) => {
    writeFileSync(file, configuration(plugin.endpoint, names), { mode: 0o600 });
    for (const server of [cluster.kubeApiserver, cluster.chain]) {
      await server.stop();
      await server.start(flags);
    }
  };
  try {
    await restart(['one']);
    await cluster.define(
      definitions(run),
      sealed.map(({ collection }) => collection),
    );
    await exchange(cluster, findings, 'kube');
    await exchange(cluster, findings, 'chain');
    plugin.keyId = 'key-2';
    await restart(['two', 'one']);
    await compareReads(cluster, findings, 'encrypted values, keys changed');
    await compareRewrites(cluster, findings);
    await loseKeys(cluster);
    await compareReads(cluster, findings, 'encrypted values, keys lost');
    await compareWrites(cluster, findings);
  } finally {
    await cluster.stop();
    plugin.close();
  }
}

async function exchange(cluster: Cluster, findings: Findings, name: 'kube' | 'chain'): Promise<void> {
  const { kubeApiserver, chain } = cluster;
  const [writer, other] = name === 'kube' ? [kubeApiserver, chain] : [chain, kubeApiserver];
  for (const { collection, prefix, object } of sealed) {
    const what = `encrypted values written by ${writer.name}`;
    const watches = await BothWatches.open(cluster, collection);
    const { lines } = watches;
    await writer.json('POST', collection, { body: object(name) });
    await other.json('PATCH', `${collection}/${name}`, { body: { metadata: { labels: { a: 'b' } } } });
    await writer.json('PATCH', `${collection}/${name}`, { body: { metadata: { labels: { a: 'c' } } } });
    await writer.json('POST', collection, { body: object(`${name}-deleted`) });
    await other.json('DELETE', `${collection}/${name}-deleted`);
    const { revision, value } = await cluster.storedAt(writer, `${collection}/${name}`);
    findings.same(what, `prefix of ${collection}`, prefix, value.subarray(0, prefix.length).toString('latin1'));
    await putBack(other, `${collection}/${name}`, '');
    const after = await cluster.storedAt(writer, `${collection}/${name}`);
    findings.same(
      what,
      `revision of ${collection} after an update without a change`,
      String(revision),
      String(after.revision),
    );
    await waitFor(
      () => Promise.resolve(lines[0].length >= 5 && lines[1].length >= 5),
      settleTimeoutMs,
      () => `watches of ${collection} have ${lines[0].length} and ${lines[1].length} of 5 events`,
    );
    const difference = await watches.difference();
    findings.check(what, difference === undefined ? undefined : `watch of ${collection}\n${difference}`);
  }
  await compareReads(cluster, findings, `encrypted values written by ${writer.name}`);
}

/** Reads and lists, also of what cannot be decrypted. */
async function compareReads(cluster: Cluster, findings: Findings, what: string): Promise<void> {
  for (const { collection } of sealed)
    for (const path of [`${collection}/kube`, `${collection}/chain`, collection, `${collection}?resourceVersion=0`]) {
      const difference = await lastDifference(
        () => differenceAt(cluster, path),
        (found) => found !== undefined,
      );
      findings.check(what, difference);
    }
}

async function differenceAt(cluster: Cluster, path: string): Promise<string | undefined> {
  const difference = await readDifference(cluster, path);
  return difference === undefined ? undefined : `${path}\n${difference}`;
}

/** A value whose key is no longer the first one is written again by an update without a change, with the first key. */
async function compareRewrites(cluster: Cluster, findings: Findings): Promise<void> {
  for (const [index, { collection, prefix }] of sealed.entries())
    for (const [name, server] of [
      ['kube', cluster.chain],
      ['chain', cluster.kubeApiserver],
    ] as const) {
      const path = `${collection}/${name}`;
      await putBack(server, path, '');
      const { value } = await cluster.storedAt(server, path);
      const wanted = index < 4 ? prefix.replace('one', 'two') : prefix;
      const found = value.subarray(0, wanted.length).toString('latin1');
      findings.same('encrypted values, keys changed', `prefix of ${path} written by ${server.name}`, wanted, found);
    }
  await compareReads(cluster, findings, 'encrypted values, keys changed');
}

/** Gives the keys of one value of each kind another name, as if they were no longer configured. */
async function loseKeys(cluster: Cluster): Promise<void> {
  for (const { collection, prefix } of sealed.filter(
    (each) => each.prefix.includes('one') || each.prefix.includes('custom'),
  )) {
    const { key, value } = await cluster.storedAt(cluster.chain, `${collection}/kube`);
    const end = prefix.length;
    const lost = Buffer.concat([Buffer.from(`${prefix.slice(0, -4)}xxx:`), value.subarray(end)]);
    await cluster.put(key, lost);
    const { status, bytes } = await cluster.chain.send('GET', `${collection}/kube`);
    if (status !== 500) throw new Error(`${collection}/kube can still be read: ${status} ${bytes.toString()}`);
  }
}

/** Writes beside and to objects whose key is lost. */
async function compareWrites(cluster: Cluster, findings: Findings): Promise<void> {
  const { kubeApiserver, chain } = cluster;
  const what = 'encrypted values, keys lost';
  for (const { collection, object } of sealed) {
    for (const [name, server] of [
      ['new-kube', kubeApiserver],
      ['new-chain', chain],
    ] as const)
      await server.json('POST', collection, { body: object(name) });
    for (const name of ['new-kube', 'new-chain']) {
      findings.check(what, await differenceAt(cluster, `${collection}/${name}`));
    }
    for (const [method, body] of [
      ['PATCH', { metadata: { labels: { x: 'y' } } }],
      ['DELETE', undefined],
    ] as const) {
      const path = `${collection}/kube?dryRun=All`;
      const [expected, actual] = [
        await kubeApiserver.send(method, path, { body }),
        await chain.send(method, path, { body }),
      ];
      findings.same(what, `${method} ${path}`, shortOf(expected), shortOf(actual));
    }
  }
}

/** The status of a response, and its message when it is an error. */
const shortOf = (response: RawResponse): string => (response.status < 400 ? String(response.status) : textOf(response));
