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
import { startChain } from '../start-chain.ts';
import { explore, SeedError } from './explore.ts';

const configMaps = { group: '', version: 'v1', resource: 'configmaps', namespace: 'default' };
const secrets = { ...configMaps, resource: 'secrets' };

/** Makes one Secret for each ConfigMap with a label. `believesItsCopy`: whether it believes that what its informer does not have does not exist. */
async function startOperator(client: RestClient, believesItsCopy: boolean): Promise<() => Promise<void>> {
  const queue = new WorkQueue();
  const owners = new Informer({ client, resource: configMaps })
    .addHandlers({
      onAdd: (object) => queue.add(objectKey(object)),
      onUpdate: (object) => queue.add(objectKey(object)),
    })
    .start();
  const owned = new Informer({ client, resource: secrets }).start();
  await Promise.all([owners.waitForSync(), owned.waitForSync()]);
  const hasSecret = async (name: string) => {
    const { items } = believesItsCopy ? { items: owned.list() } : await client.list(secrets);
    return items.some(({ metadata }) => metadata.labels?.['owner'] === name);
  };
  const reconcile = async (key: string) => {
    const { name = '', labels } = owners.get(key)?.metadata ?? {};
    if (labels === undefined || (await hasSecret(name))) return;
    const metadata = { generateName: `${name}-`, labels: { owner: name } };
    await client.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata });
  };
  const working = runWorkers(queue, 1, reconcile, () => undefined);
  return async () => {
    queue.shutDown();
    await working;
    await Promise.all([owners.stop(), owned.stop()]);
  };
}

const makesOneSecret = (believesItsCopy: boolean) => async (seed: number) => {
  await using chain = await startChain({ seed });
  const client = new RestClient(httpTransport(loadKubeconfig(chain.kubeconfigFile)));
  const stop = await chain.run(() => startOperator(client, believesItsCopy));
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', labels: { some: 'label' } } };
  await client.create(configMaps, owner);
  await client.patch(configMaps, 'a', 'merge', { data: { changed: 'yes' } });
  await chain.settle();
  const { items } = await client.list(secrets);
  await stop();
  await client.close();
  assert.equal(items.length, 1);
};

describe('explore', () => {
  it('finds the race of an operator, with a seed that fails again', async () => {
    const failure = await explore(50, makesOneSecret(true)).then(
      () => assert.fail('no seed failed'),
      (error: unknown) => error,
    );
    assert.ok(failure instanceof SeedError);
    assert.match(failure.message, new RegExp(`^seed ${failure.seed}: [^]*2 !== 1[^]*repeats it`));
    await assert.rejects(makesOneSecret(true)(failure.seed));
    await explore([failure.seed, failure.seed + 1], makesOneSecret(false));
  });

  it('says when a failure does not belong to its seed', async () => {
    const seen: number[] = [];
    const test = async (seed: number) => {
      if (seen.push(seed) === 3) throw new Error('by chance');
    };
    await assert.rejects(explore(10, test), /^SeedError: seed 2: by chance \(a second run with it does not fail/);
    assert.deepEqual(seen, [0, 1, 2, 2]);
    await assert.rejects(explore(-1, test), RangeError);
  });

  it('takes the seeds from the environment', async () => {
    const seen: number[] = [];
    const test = async (seed: number) => void seen.push(seed);
    try {
      process.env['APICHAIN_SEEDS'] = '17,4';
      await explore(10, test);
      process.env['APICHAIN_SEEDS'] = '8,';
      await explore(10, test);
      process.env['APICHAIN_SEEDS'] = '2';
      await explore(10, test);
      process.env['APICHAIN_SEEDS'] = '5-7';
      await explore(10, test);
      process.env['APICHAIN_SEEDS'] = 'many';
      await assert.rejects(explore(10, test), /explore: "many" is neither/);
    } finally {
      delete process.env['APICHAIN_SEEDS'];
    }
    assert.deepEqual(seen, [17, 4, 8, 0, 1, 5, 6, 7]);
  });
});
