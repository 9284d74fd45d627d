import assert from 'node:assert/strict';
import {
  httpTransport,
  Informer,
  loadKubeconfig,
  objectKey,
  RestClient,
  runWorkers,
  WorkQueue,
} from '@apichain/client';
import type { KubeObject } from '@apichain/meta';
import { call } from '../call.fixture.ts';
import { startChain } from '../start-chain.ts';
import type { StartChainOptions, TestChain } from '../test-chain.ts';

const configMaps = { group: '', version: 'v1', resource: 'configmaps', namespace: 'default' };
const secrets = { ...configMaps, resource: 'secrets' };
const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

/** Keeps three Secrets for each ConfigMap that has the data `wanted`, with parallel requests. Creates them under generated names. */
async function startOperator(client: RestClient): Promise<() => Promise<void>> {
  const queue = new WorkQueue();
  const enqueue = (object: KubeObject) => queue.add(objectKey(object));
  const owners = new Informer({ client, resource: configMaps })
    .addHandlers({ onAdd: enqueue, onUpdate: enqueue })
    .start();
  const owned = new Informer({ client, resource: secrets }).start();
  await Promise.all([owners.waitForSync(), owned.waitForSync()]);
  const reconcile = async (key: string) => {
    const owner = owners.get(key);
    if (owner?.['data'] === undefined) return;
    const generateName = `${owner.metadata.name}-`;
    const missing = 3 - owned.list().filter(({ metadata }) => metadata.name?.startsWith(generateName)).length;
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { generateName } };
    await Promise.all(Array.from({ length: missing }, () => client.create(secrets, secret)));
    await client.patch(configMaps, owner.metadata.name ?? '', 'merge', { metadata: { annotations: { done: 'yes' } } });
  };
  const working = runWorkers(queue, 2, reconcile, () => undefined);
  return async () => {
    queue.shutDown();
    await working;
    await Promise.all([owners.stop(), owned.stop()]);
  };
}

/** Runs `test` with an operator. */
async function withOperator(
  options: StartChainOptions,
  test: (chain: TestChain, client: RestClient) => Promise<void>,
): Promise<void> {
  await using chain = await startChain(options);
  const client = new RestClient(httpTransport(loadKubeconfig(chain.kubeconfigFile)));
  try {
    const stop = await chain.run(() => startOperator(client));
    await test(chain, client);
    await stop();
  } finally {
    await client.close();
  }
}

/** The writes of a run, in order, with what the server made of them. */
async function writesWith(seed: number): Promise<string[]> {
  const writes: string[] = [];
  await withOperator({ seed, controllers: ['garbagecollector', 'namespace'] }, async (chain, client) => {
    for (const name of ['a', 'b', 'c'])
      await client.create(configMaps, { ...configMap(name), data: { wanted: 'yes' } });
    await chain.settle();
    // The first chain of a process counts from another number.
    const begin = Number((await client.get(configMaps, 'a')).metadata.resourceVersion);
    const { items } = await client.list(secrets);
    for (const { metadata } of [...items, ...(await client.list(configMaps, { labelSelector: '!none' })).items])
      writes.push(
        `${Number(metadata.resourceVersion) - begin} ${metadata.creationTimestamp} ${metadata.name} ${metadata.uid}`,
      );
    for (const { method, url, status } of chain.requests)
      if (method !== 'GET') writes.push(`${method} ${url} ${status}`);
  });
  return writes;
}

describe('settle', () => {
  it('waits for an operator of this process, and for what it causes', async () => {
    await withOperator({}, async (chain, client) => {
      for (let i = 0; i < 20; i++) {
        await client.create(configMaps, { ...configMap(`m${i}`), data: { wanted: 'yes' } });
        await chain.settle();
        const { metadata } = await client.get(configMaps, `m${i}`);
        assert.equal(metadata.annotations?.['done'], 'yes');
        assert.equal((await client.list(secrets)).items.length, 3 * (i + 1));
      }
    });
  });

  it('includes the repetition of failed requests', async () => {
    for (const clock of ['machine', 'virtual'] as const)
      await withOperator({ clock }, async (chain, client) => {
        const fault = chain.faults.add({ match: { verb: 'patch', resource: 'configmaps' }, status: 503, times: 6 });
        await client.create(configMaps, { ...configMap('often'), data: { wanted: 'yes' } });
        await chain.settle();
        assert.equal((await client.get(configMaps, 'often')).metadata.annotations?.['done'], 'yes');
        assert.equal(fault.hits, 6);
      });
  });

  it('waits for the controllers of the chain', async () => {
    await using chain = await startChain({ controllers: true });
    const path = '/api/v1/namespaces';
    for (let i = 0; i < 5; i++) {
      const name = `n${i}`;
      assert.equal((await call(chain, path, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })).status, 201);
      await chain.settle();
      assert.equal((await call(chain, `${path}/${name}/serviceaccounts/default`)).status, 200);
      assert.equal((await call(chain, `${path}/${name}/configmaps/kube-root-ca.crt`)).status, 200);
      await call(chain, `${path}/${name}`, undefined, chain.admin, 'DELETE');
      await chain.settle();
      assert.equal((await call(chain, `${path}/${name}`)).status, 404);
    }
  });
});

describe('a seed', () => {
  it('determines all writes and their order', async () => {
    const first = await writesWith(1);
    assert.deepEqual(await writesWith(1), first);
    assert.ok(first.length > 15, first.join('\n'));
    assert.notDeepEqual(await writesWith(2), first);
  });
});
