import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { httpTransport, isStatusError, loadKubeconfig, RestClient } from 'apichain/client';
import { startChain, type ChainSnapshot, type TestChain } from 'apichain/testing';
import { startController } from './controller.ts';
import { widgetResource } from './resources/widget.ts';

const namespace = 'default';
const resource = { ...widgetResource, namespace };
const configMaps = { group: '', version: 'v1', resource: 'configmaps', namespace };
const newObject = (name: string, text: string) => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name },
  spec: { text },
});

let chain: TestChain;
let clean: ChainSnapshot;
let client: RestClient;
let stopController: () => Promise<void>;

before(async () => {
  chain = await startChain({
    crds: [join(import.meta.dirname, '../config/crd.json')],
    controllers: ['garbagecollector'],
  });
  clean = chain.snapshot();
  client = new RestClient(httpTransport(loadKubeconfig(chain.kubeconfigFile)));
});
after(async () => {
  await client.close();
  await chain.stop();
});
beforeEach(async () => {
  stopController = await startController(client, (text) => console.error(text));
});
afterEach(async () => {
  await stopController();
  chain.faults.clear();
  await chain.restore(clean);
});

/** Waits until the ConfigMap has this text; undefined = until it is gone. */
async function configMapHas(name: string, text: string | undefined): Promise<void> {
  for (const deadline = Date.now() + 10_000; ; await new Promise((done) => setTimeout(done, 10))) {
    const found = await client.get(configMaps, name).then(
      ({ data }) => (data as { text: string }).text,
      (error: unknown) => {
        if (!isStatusError(error, 'NotFound')) throw error;
      },
    );
    if (found === text) return;
    assert.ok(Date.now() < deadline, `the ConfigMap ${name} has ${found ?? 'not been made'}`);
  }
}

test('a Widget gets a ConfigMap, which follows it', async () => {
  await client.create(resource, newObject('a', 'hello'));
  await configMapHas('a', 'hello');
  await client.patch(resource, 'a', 'merge', { spec: { text: 'welcome' } });
  await configMapHas('a', 'welcome');
});

test('the status shows which generation the ConfigMap has', async () => {
  await client.create(resource, newObject('b', 'hello'));
  for (const deadline = Date.now() + 10_000; ; await new Promise((done) => setTimeout(done, 10))) {
    const { metadata, status } = await client.get(resource, 'b');
    if (status?.ready === true && status.observedGeneration === metadata.generation) return;
    assert.ok(Date.now() < deadline, 'the Widget does not become ready');
  }
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
