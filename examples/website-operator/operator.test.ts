import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { isStatusError, loadKubeconfig, newClient, startManager } from 'apichain/client';
import { startChain } from 'apichain/testing';
import { websiteController } from './operator.ts';
import { Website } from './website.ts';

const websites = { ...Website, namespace: 'default' };
const hosts = new Map<string, string>();
const names = {
  set: async (host: string, service: string) => void hosts.set(host, service),
  remove: async (host: string) => void hosts.delete(host),
};
const file = (name: string) => join(import.meta.dirname, 'config', name);

test('a Website is served under its name until it is deleted', async (context) => {
  const chain = await startChain({ crds: [file('crd.yaml')], manifests: [file('rights.yaml')], workloads: true });
  context.after(() => chain.stop());
  const client = newClient(loadKubeconfig(chain.kubeconfigFile));
  const account = await chain.addUser({ name: 'system:serviceaccount:default:website-operator' });
  const ofAccount = newClient(loadKubeconfig(account.kubeconfigFile));
  const controllers = [websiteController(names)];
  const manager = await chain.run(() => startManager({ client: ofAccount, controllers }));
  context.after(() => Promise.all([manager.stop(), client.close(), ofAccount.close()]));
  const site = { metadata: { name: 'a' }, spec: { image: 'nginx', host: 'a.example.com', replicas: 2 } };
  await client.create(websites, { apiVersion: 'example.com/v1', kind: 'Website', ...site });
  await chain.workloads.ready('websites.example.com/a');
  assert.deepEqual([...hosts], [['a.example.com', 'a']]);
  await client.delete(websites, 'a');
  await chain.settle();
  assert.equal(hosts.size, 0);
  await assert.rejects(client.get(websites, 'a'), (error) => isStatusError(error, 'NotFound'));
});
