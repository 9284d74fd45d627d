import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { httpTransport, loadKubeconfig, RestClient } from 'apichain/client';
import type { RunningApiServer } from 'apichain/server';
import { startChain, type TestChain } from 'apichain/testing';
import { server } from './server.ts';

const group = 'example.com';
const resource = { group, version: 'v1', resource: 'widgets', namespace: 'default' };
const oldResource = { ...resource, version: 'v1alpha1' };
const newObject = (name: string, spec: object) => ({
  apiVersion: `${group}/v1`,
  kind: 'Widget',
  metadata: { name },
  spec,
});

let chain: TestChain;
let running: RunningApiServer;
let admin: RestClient;
let jane: RestClient;

/** A client of the chain, which passes requests for the group on to the server. */
const clientOf = (kubeconfigFile: string) => new RestClient(httpTransport(loadKubeconfig(kubeconfigFile)));

before(async () => {
  chain = await startChain({ users: [{ name: 'jane' }], flags: ['--authorization-mode=RBAC'] });
  const connections = ['kubeconfig', 'authentication-kubeconfig', 'authorization-kubeconfig'];
  const flags = [
    ...connections.map((flag) => `--${flag}=${chain.kubeconfigFile}`),
    ...['--register', '--memory', '--bind-address=127.0.0.1', '--secure-port=0'],
  ];
  // The log would mix with the results of the tests.
  running = await server.start(flags, { log: () => undefined });
  await running.ready();
  admin = clientOf(chain.kubeconfigFile);
  jane = clientOf(chain.users['jane']?.kubeconfigFile ?? '');
});
after(async () => {
  await jane.close();
  await admin.close();
  await running.close();
  await chain.stop();
});

test('a Widget is stored with its defaults', async () => {
  const created = await admin.create(resource, newObject('a', {}));
  assert.deepEqual(created['spec'], { class: 'small', replicas: 1 });
  const { items } = await admin.list(resource);
  assert.deepEqual(
    items.map(({ metadata }) => metadata.name),
    ['a'],
  );
});

test('a Widget has a known class and a sensible number of replicas', async () => {
  await assert.rejects(
    admin.create(resource, newObject('b', { class: 'huge' })),
    /spec\.class: Unsupported value: "huge": supported values: "small", "large"/,
  );
  await assert.rejects(admin.create(resource, newObject('b', { replicas: 101 })), /spec\.replicas: Invalid value/);
});

test('the status is written through its subresource only', async () => {
  await admin.create(resource, newObject('c', {}));
  const change = { spec: { replicas: 2 }, status: { phase: 'Ready' } };
  const changed = await admin.patch(resource, 'c', 'merge', change);
  assert.deepEqual([changed['spec'], changed['status']], [{ class: 'small', replicas: 2 }, undefined]);
  const { status } = await admin.patch(resource, 'c', 'merge', change, { subresource: 'status' });
  assert.deepEqual(status, { phase: 'Ready' });
});

test('both versions show the same Widget', async () => {
  const old = { ...newObject('d', { size: 'large' }), apiVersion: `${group}/v1alpha1` };
  await admin.create(oldResource, old);
  assert.deepEqual((await admin.get(resource, 'd'))['spec'], { class: 'large', replicas: 1 });
  assert.deepEqual((await admin.get(oldResource, 'd'))['spec'], { size: 'large', replicas: 1 });
});

test('WidgetClasses are computed', async () => {
  const classes = { group, version: 'v1', resource: 'widgetclasses' };
  const { items } = await admin.list(classes);
  assert.deepEqual(
    items.map(({ metadata, capacity }) => [metadata.name, capacity]),
    [
      ['small', 1],
      ['large', 10],
    ],
  );
  await assert.rejects(admin.get(classes, 'huge'), { reason: 'NotFound' });
});

test('users need the permission of the chain', async () => {
  await assert.rejects(jane.create(resource, newObject('e', {})), { reason: 'Forbidden' });
  await chain.apply(
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'widgets', namespace: 'default' },
      rules: [{ apiGroups: [group], resources: ['widgets'], verbs: ['get'] }],
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'widgets', namespace: 'default' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'widgets' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'jane' }],
    },
  );
  await admin.create(resource, newObject('f', {}));
  const deadline = Date.now() + 5_000;
  for (let seen = ''; seen !== 'f'; await new Promise((done) => setTimeout(done, 20))) {
    seen = await jane.get(resource, 'f').then(
      ({ metadata }) => metadata.name ?? '',
      () => '',
    );
    assert.ok(Date.now() < deadline, 'the role is not in effect');
  }
});
