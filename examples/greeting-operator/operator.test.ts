import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { CoreV1Api, CustomObjectsApi, KubeConfig } from '@kubernetes/client-node';
import {
  loadKubeconfig,
  newClient,
  silentLogger,
  startManager,
  type Manager,
  type RestClient,
} from '@apichain/client/library';
import { startChain, type ChainSnapshot, type TestChain } from '@apichain/testing';
import { Greeting } from './greeting.ts';
import { greetingController } from './operator.ts';
import { webhooks } from './webhooks.ts';

const file = (name: string) => join(import.meta.dirname, 'config', name);
/** For CustomObjectsApi. */
const greetings = { group: Greeting.group, version: Greeting.version, namespace: 'default', plural: Greeting.resource };
const greeting = (name: string, spec: Greeting['spec'] = { text: 'hi' }) => ({
  apiVersion: 'example.com/v1',
  kind: 'Greeting',
  metadata: { name },
  spec,
});

let chain: TestChain;
let clean: ChainSnapshot;
let core: CoreV1Api;
let custom: CustomObjectsApi;
let client: RestClient;
let operator: Manager;
const startOperator = () => startManager({ client, controllers: [greetingController], log: silentLogger });

before(async () => {
  chain = await startChain({
    crds: [file('crd.yaml')],
    users: [{ name: 'operator', groups: ['system:masters'] }],
    webhooks: { configurations: [file('webhooks.yaml')], handlers: webhooks },
    audit: {
      omitStages: ['RequestReceived'],
      rules: [
        { level: 'None', verbs: ['get', 'list', 'watch'] },
        { level: 'Request', resources: [{ group: 'example.com' }], omitManagedFields: true },
        { level: 'Metadata' },
      ],
    },
  });
  clean = chain.snapshot();
  const config = new KubeConfig();
  config.loadFromOptions(chain.adminConfig);
  core = config.makeApiClient(CoreV1Api);
  custom = config.makeApiClient(CustomObjectsApi);
  client = newClient(loadKubeconfig(chain.users['operator']?.kubeconfigFile ?? ''));
});
after(async () => {
  await client.close();
  await chain.stop();
});

beforeEach(async () => {
  operator = await startOperator();
});
afterEach(async () => {
  await operator.stop();
  chain.faults.clear();
  await chain.restore(clean);
  chain.clearRequests();
});

async function eventually(condition: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 15_000; !(await condition()); await new Promise((done) => setTimeout(done, 10)))
    assert.ok(Date.now() < deadline, 'not within 15 s');
}
const create = async (body: object) => (await custom.createNamespacedCustomObject({ ...greetings, body })) as Greeting;
const read = async (name: string) => (await custom.getNamespacedCustomObject({ ...greetings, name })) as Greeting;
const isReady = async (name: string) => {
  const { metadata, status } = await read(name);
  return status?.ready === true && status.observedGeneration === metadata.generation;
};
const configMap = async (name: string) => (await core.readNamespacedConfigMap({ namespace: 'default', name })).data;

test('creates a ConfigMap, reports it in the status, and keeps it up to date', async () => {
  await create(greeting('a'));
  await eventually(() => isReady('a'));
  assert.deepEqual(await configMap('a'), { text: 'hi' });
  const changed = await read('a');
  changed.spec.text = 'welcome';
  await custom.replaceNamespacedCustomObject({ ...greetings, name: 'a', body: changed });
  await eventually(async () => (await configMap('a'))?.['text'] === 'welcome');
});

test('cleans up before a Greeting is deleted', async () => {
  await create(greeting('b'));
  await eventually(() => isReady('b'));
  await custom.deleteNamespacedCustomObject({ ...greetings, name: 'b' });
  await eventually(() =>
    read('b').then(
      () => false,
      () => true,
    ),
  );
  await assert.rejects(configMap('b'), { code: 404 });
});

test('has webhooks that default and validate', async () => {
  assert.equal((await create(greeting('c', { language: 'de' }))).spec.text, 'guten Tag');
  await assert.rejects(create(greeting('d', { text: ' ' })), (error: Error) => {
    assert.match(error.message, /denied the request: spec.text: a greeting must say something/);
    return true;
  });
  const paths = chain.webhooks.calls.map(({ path }) => path);
  assert.deepEqual([...new Set(paths)].sort(), ['/default', '/validate']);
});

test('retries when the status is in conflict', async () => {
  const status = { verb: 'update', resource: 'greetings', subresource: 'status', user: 'operator' };
  const fault = chain.faults.add({ match: status, status: 409, times: 2 });
  await create(greeting('e'));
  await eventually(() => isReady('e'));
  assert.equal(fault.hits, 2);
  const writes = chain.requests.filter(({ user, subresource }) => user === 'operator' && subresource === 'status');
  assert.deepEqual(
    writes.map((request) => [request.status, (request.requestObject as Greeting).status?.ready]),
    [
      [409, true],
      [409, true],
      [200, true],
    ],
  );
});

test('writes only changed objects', async () => {
  await create(greeting('h'));
  await eventually(() => isReady('h'));
  const events = chain.auditEvents.filter(({ user }) => user.username === 'operator');
  assert.deepEqual(
    events.map(({ verb, objectRef, responseStatus }) => [verb, objectRef?.resource, responseStatus?.code]),
    [
      ['patch', 'greetings', 200],
      ['patch', 'configmaps', 201],
      ['update', 'greetings', 200],
    ],
  );
});

test('waits as long as Retry-After of a busy server', async () => {
  chain.faults.add({ match: { verb: 'patch', resource: 'configmaps' }, status: 429, retryAfterSeconds: 1, times: 1 });
  // With its finalizer, so that no change of its own leads to an earlier attempt.
  await create({ ...greeting('f'), metadata: { name: 'f', finalizers: ['example.com/config-map'] } });
  await eventually(() => isReady('f'));
  const [first, second] = chain.requests.filter(({ verb, resource }) => verb === 'patch' && resource === 'configmaps');
  assert.deepEqual([first?.status, second?.status], [429, 201]);
  assert.ok((second?.receivedAt ?? 0) - (first?.receivedAt ?? 0) >= 950);
});

for (const [what, fault] of [
  ['lost its connection', { dropWatchAfterMs: 30 }],
  ['was too old', { dropWatchAfterMs: 30, status: 410 }],
] as const)
  test(`continues after its watch ${what}`, async () => {
    await operator.stop();
    const injected = chain.faults.add({ match: { verb: 'watch', resource: 'greetings' }, ...fault, times: 1 });
    operator = await startOperator();
    await eventually(async () => injected.hits === 1);
    await create(greeting('g'));
    await eventually(() => isReady('g'));
  });
