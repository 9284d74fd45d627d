import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { RunningApiServer } from '@apichain/extension-server';
import { httpTransport, loadKubeconfig, RestClient } from '@apichain/client/library';
import { startChain, type TestChain } from '@apichain/testing';
import { server } from './main.ts';

const ref = (resource: string, namespace?: string) => ({
  ...{ group: 'metrics.k8s.io', version: 'v1beta1', resource },
  ...(namespace === undefined ? {} : { namespace }),
});
const node = (name: string) => ({ apiVersion: 'v1', kind: 'Node', metadata: { name, labels: { zone: name } } });
const container = (name: string, cpu?: string, memory?: string) => ({
  ...{ name, image: 'none' },
  ...(cpu === undefined ? {} : { resources: { requests: { cpu, memory } } }),
});
const pod = (name: string, nodeName: string | undefined, ...containers: ReturnType<typeof container>[]) => ({
  ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'default', labels: { app: name } } },
  spec: { nodeName, containers },
});

const directory = mkdtempSync(join(tmpdir(), 'metrics-'));
let chain: TestChain;
let metrics: RunningApiServer;
let client: RestClient;
before(async () => {
  chain = await startChain({
    flags: ['--disable-admission-plugins=ServiceAccount'],
    manifests: [
      ...[node('one'), node('two')],
      pod('web', 'one', container('a', '250m', '64Mi'), container('b', '1', '1Gi')),
      ...[pod('idle', 'one', container('a')), pod('waiting', undefined, container('a', '1', '1Gi'))],
    ],
  });
  const kubeconfigs = ['', 'authentication-', 'authorization-'].map(
    (use) => `--${use}kubeconfig=${chain.kubeconfigFile}`,
  );
  const flags = ['--bind-address=127.0.0.1', '--secure-port=0', '--register', `--cert-dir=${directory}`];
  metrics = await server.start([...kubeconfigs, ...flags], { log: () => undefined });
  await metrics.ready();
  client = new RestClient(httpTransport(loadKubeconfig(chain.kubeconfigFile)));
});
after(async () => {
  await client.close();
  await metrics.close();
  await chain.stop();
  rmSync(directory, { recursive: true });
});

test('pods use what their containers request', async () => {
  const web = await client.get(ref('pods', 'default'), 'web');
  assert.deepEqual(web['containers'], [
    { name: 'a', usage: { cpu: '250m', memory: '64Mi' } },
    { name: 'b', usage: { cpu: '1', memory: '1Gi' } },
  ]);
  assert.equal(web['window'], '30s');
  const { items } = await client.list(ref('pods'));
  assert.deepEqual(
    items.map(({ metadata }) => metadata.name),
    ['idle', 'web'],
  );
  assert.deepEqual((await client.list(ref('pods'), { labelSelector: 'app=idle' })).items.length, 1);
  await assert.rejects(client.get(ref('pods', 'default'), 'waiting'), { reason: 'NotFound' });
});

test('nodes use what their pods request', async () => {
  const { items } = await client.list(ref('nodes'));
  assert.deepEqual(
    items.map(({ metadata, ...node }) => [metadata.name, node['usage']]),
    [
      ['one', { cpu: '1250m', memory: '1088Mi' }],
      ['two', { cpu: '0', memory: '0' }],
    ],
  );
});

test('the metrics cannot be written', async () => {
  await assert.rejects(client.delete(ref('nodes'), 'one'), { reason: 'MethodNotAllowed' });
});
