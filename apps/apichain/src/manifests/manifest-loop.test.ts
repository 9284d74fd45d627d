import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RestClient, httpTransport, loadKubeconfig } from '@apichain/client';
import { startChain, waitFor, type TestChain } from '@apichain/testing';
import { ManifestLoop } from './manifest-loop.ts';

const configMaps = { group: '', version: 'v1', resource: 'configmaps', namespace: 'default' };
const times = { quietMs: 5, retryMs: 20, settleMs: 50 };

describe('ManifestLoop', () => {
  let chain: TestChain;
  let client: RestClient;
  let folder: string;
  let loop: ManifestLoop | undefined;
  let printed: string[];
  before(async () => {
    chain = await startChain({ flags: ['--apis=minimal'] });
    client = new RestClient(httpTransport(loadKubeconfig(chain.kubeconfigFile)));
  });
  after(async () => {
    await client.close();
    await chain.stop();
  });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'manifest-loop-'));
    printed = [];
  });
  afterEach(async () => {
    await loop?.close();
    loop = undefined;
    chain.faults.clear();
    rmSync(folder, { recursive: true, force: true });
  });

  const write = (name: string, ...objects: object[]) =>
    writeFileSync(join(folder, name), objects.map((object) => JSON.stringify(object)).join('\n---\n'));
  const configMap = (name: string, more: object = {}) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name },
    ...more,
  });
  function open(watch = true): ManifestLoop {
    const report = {
      changed: (name: string, change: string) => printed.push(`${name} ${change}`),
      problem: (line: string) => printed.push(line.replaceAll(`${folder}/`, '')),
    };
    const options = { paths: [folder], recursive: false, watch };
    loop = new ManifestLoop(chain.kubeconfigFile, options, report, (line) => printed.push(line), times);
    return loop;
  }
  const prints = (line: string) => waitFor(() => printed.includes(line));

  it('tries again without a change what the server could not take, and says once that it could not', async () => {
    write('a.yaml', configMap('slow'), configMap('quick'));
    const match = { verb: 'patch', resource: 'configmaps', name: 'slow' } as const;
    const fault = chain.faults.add({ match, status: 500, message: 'a webhook is away' });
    assert.equal(await open().start({ mustApply: true }), 'manifests: 1 created, 1 not applied');
    const hits = fault.hits;
    await waitFor(() => fault.hits > hits + 2);
    fault.remove();
    await prints('configmap/slow created');
    assert.deepEqual(printed, [
      'a.yaml, document 1: configmap/slow: a webhook is away',
      'configmap/quick created',
      'configmap/slow created',
    ]);
  });

  it('refuses to start where nobody would try again', async () => {
    write('a.yaml', configMap('a', { data: { a: 1 } }));
    await assert.rejects(open(false).start({ mustApply: true }), {
      name: 'StartupError',
      message: '-f: 1 not applied',
    });
    assert.match(printed[0] ?? '', /^a\.yaml: configmap\/a: .*\.data\.a: expected string/);
  });

  it('keeps the fields of others, takes over its own, and refuses fields that are none', async () => {
    await client.create(configMaps, { ...configMap('shared'), data: { mine: 'a', theirs: 'b' } });
    write('a.yaml', configMap('shared', { data: { mine: 'c' } }), configMap('typo', { date: {} }));
    assert.equal(await open().start({ mustApply: false }), 'manifests: 1 configured, 1 not applied');
    assert.deepEqual((await client.get(configMaps, 'shared'))['data'], { mine: 'c', theirs: 'b' });
    assert.match(printed.join('\n'), /^a\.yaml, document 2: configmap\/typo: .*\.date: field not declared in schema$/m);
  });

  it('prunes its own objects alone, and says what cannot be pruned', async () => {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } };
    write('a.yaml', namespace, configMap('kept'), configMap('gone'), configMap('owner'));
    await open().start({ mustApply: true });
    // A controller has copied the labels of an object to one of its own.
    const { metadata } = await client.get(configMaps, 'owner');
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: metadata.uid ?? '', controller: true };
    const copied = { name: 'copied', labels: metadata.labels ?? {}, ownerReferences: [owner] };
    await client.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: copied });
    await client.create(configMaps, configMap('foreign'));
    write('a.yaml', configMap('kept'));
    await prints('configmap/owner pruned');
    const problem = /^namespace\/default cannot be pruned: .*this namespace may not be deleted$/;
    await waitFor(() => printed.some((line) => problem.test(line)));
    const names = (await client.list(configMaps)).items.map((item) => item.metadata.name);
    for (const [name, isThere] of [
      ['kept', true],
      ['foreign', true],
      ['copied', true],
      ['gone', false],
    ] as const)
      assert.equal(names.includes(name), isThere, name);
  });
});
