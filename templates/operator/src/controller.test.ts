import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { isStatusError, kinds, loadKubeconfig, newClient, silentLogger, startManager } from 'apichain/client';
import type { Manager, RestClient } from 'apichain/client';
import { explore, startChain, type ChainSnapshot, type TestChain } from 'apichain/testing';
import { widgetController } from './controller.ts';
import { Widget } from './resources/widget.ts';

const namespace = 'default';
const resource = { ...Widget, namespace };
const configMaps = { ...kinds.ConfigMap, namespace };
const controllers = [widgetController];
const newObject = (name: string, text: string) => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name },
  spec: { text },
});

const crds = [join(import.meta.dirname, '../config/crd.json')];
let chain: TestChain;
let clean: ChainSnapshot;
let client: RestClient;
let manager: Manager;

before(async () => {
  chain = await startChain({ crds, controllers: ['garbagecollector'] });
  clean = chain.snapshot();
  client = newClient(loadKubeconfig(chain.kubeconfigFile));
});
after(async () => {
  await client.close();
  await chain.stop();
});
beforeEach(async () => {
  manager = await chain.run(() => startManager({ client, controllers }));
});
afterEach(async () => {
  await manager.stop();
  chain.faults.clear();
  await chain.restore(clean);
});

/** The ConfigMap has this text when everybody has done their work; undefined = it is gone. */
async function configMapHas(name: string, text: string | undefined): Promise<void> {
  await chain.settle();
  const found = await client.get(configMaps, name).then(
    ({ data }) => data?.['text'],
    (error: unknown) => {
      if (!isStatusError(error, 'NotFound')) throw error;
    },
  );
  assert.equal(found, text);
}

test('a Widget gets a ConfigMap, which follows it', async () => {
  await client.create(resource, newObject('a', 'hello'));
  await configMapHas('a', 'hello');
  await client.patch(resource, 'a', 'merge', { spec: { text: 'welcome' } });
  await configMapHas('a', 'welcome');
});

test('the status shows which generation the ConfigMap has', async () => {
  await client.create(resource, newObject('b', 'hello'));
  await chain.settle();
  const { metadata, status } = await client.get(resource, 'b');
  assert.deepEqual([status?.ready, status?.observedGeneration], [true, metadata.generation]);
});

test('a ConfigMap that somebody deletes is made again', async () => {
  await client.create(resource, newObject('c', 'hello'));
  await configMapHas('c', 'hello');
  await client.delete(configMaps, 'c');
  await configMapHas('c', 'hello');
});

test('a Widget takes its ConfigMap along', async () => {
  await client.create(resource, newObject('d', 'hello'));
  await configMapHas('d', 'hello');
  await client.delete(resource, 'd');
  await configMapHas('d', undefined);
});

test('failed requests are repeated', async () => {
  const fault = chain.faults.add({ match: { verb: 'patch', resource: 'configmaps' }, status: 503, times: 2 });
  await client.create(resource, newObject('e', 'hello'));
  await configMapHas('e', 'hello');
  assert.equal(fault.hits, 2);
});

test('a Widget has a text', async () => {
  const { spec: _spec, ...empty } = newObject('f', '');
  await assert.rejects(chain.apply({ ...empty, metadata: { name: 'f', namespace }, spec: {} }), /spec\.text: Required/);
});

test('no order of events makes a difference', () =>
  explore(5, async (seed) => {
    const another = await startChain({ crds, seed });
    const client = newClient(loadKubeconfig(another.kubeconfigFile));
    const running = await another.run(() => startManager({ client, controllers, log: silentLogger }));
    await client.create(resource, newObject('g', 'hello'));
    await client.patch(resource, 'g', 'merge', { spec: { text: 'welcome' } });
    await another.settle();
    assert.deepEqual((await client.get(configMaps, 'g')).data, { text: 'welcome' });
    await running.stop();
    await client.close();
    await another.stop();
  }));
