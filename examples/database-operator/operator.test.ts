import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { kinds, loadKubeconfig, newClient, silentLogger, startManager, type RestClient } from 'apichain/client';
import { explore, startChain, type TestChain } from 'apichain/testing';
import { Database } from './database.ts';
import { databaseController } from './operator.ts';

const namespace = 'default';
const databases = { ...Database, namespace };
const pods = { ...kinds.Pod, namespace };
const controllers = [databaseController];
const crds = [join(import.meta.dirname, 'config/crd.yaml')];
const database = { apiVersion: 'example.com/v1', kind: 'Database', metadata: { name: 'db' }, spec: { version: '1' } };
const ready = 'databases.example.com/db';

async function startTest(seed?: number): Promise<{ chain: TestChain; client: RestClient; stop: () => Promise<void> }> {
  const chain = await startChain({ crds, workloads: true, ...(seed === undefined ? {} : { seed }) });
  const client = newClient(loadKubeconfig(chain.kubeconfigFile));
  const manager = await chain.run(() => startManager({ client, controllers, log: silentLogger }));
  await client.create(databases, database);
  await chain.workloads.ready(ready);
  return { chain, client, stop: async () => void (await manager.stop(), await client.close(), await chain.stop()) };
}

let running: Awaited<ReturnType<typeof startTest>>;
before(async () => (running = await startTest()));
after(() => running.stop());

const images = async ({ client } = running) =>
  (await client.list(pods)).items.map(({ spec }) => spec?.containers?.[0]?.image);

test('an upgrade replaces all pods', async () => {
  await running.client.patch(databases, 'db', 'merge', { spec: { version: '2' } });
  await running.chain.workloads.ready(ready);
  assert.deepEqual(await images(), ['database:2', 'database:2', 'database:2']);
});

test('a lost node makes the database unready until the node is back', async () => {
  const { spec } = await running.client.get(pods, 'db-0');
  const node = running.chain.workloads.node(spec?.nodeName ?? '');
  await node.down();
  await running.chain.clock.advance('1m');
  await assert.rejects(running.chain.workloads.ready(ready, { within: '1m' }), /version 2, 2 are ready/);
  await node.up();
  await running.chain.workloads.ready(ready);
});

test('a rollout that fails stops at the first pod, and goes on when it is corrected', async () => {
  const annotations = { 'simulate.apichain.dev/ready': 'never' };
  await running.client.patch(databases, 'db', 'merge', { metadata: { annotations }, spec: { version: '3' } });
  await assert.rejects(running.chain.workloads.ready(ready), /1 of 3 replicas have version 3, 2 are ready/);
  assert.deepEqual((await images()).sort(), ['database:2', 'database:2', 'database:3']);
  const corrected = { metadata: { annotations: { 'simulate.apichain.dev/ready': null } }, spec: { version: '2' } };
  await running.client.patch(databases, 'db', 'merge', corrected);
  await running.chain.settle();
  await running.client.delete(pods, 'db-2');
  await running.chain.workloads.ready(ready);
});

test('no order of events leaves a pod behind', () => explore(5, async (seed) => (await startTest(seed)).stop()));
