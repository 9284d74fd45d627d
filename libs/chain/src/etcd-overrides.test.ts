import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { RestClient, type ResourceReference } from '@apichain/client';
import { startEmbeddedEtcd, type EmbeddedEtcd } from '@apichain/embedded-etcd';
import { crd, TestChains } from './chain.fixture.ts';

const core = (resource: string): ResourceReference => ({ group: '', version: 'v1', resource, namespace: 'default' });
const rbac = 'rbac.authorization.k8s.io';
const crds: ResourceReference = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' };
const thing = { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'a' } };
const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
const event = {
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: 'a' },
  involvedObject: { kind: 'Pod', name: 'a', namespace: 'default' },
};
const binding = {
  apiVersion: `${rbac}/v1`,
  kind: 'ClusterRoleBinding',
  metadata: { name: 'reader' },
  subjects: [{ kind: 'User', name: 'reader', apiGroup: rbac }],
  roleRef: { kind: 'ClusterRole', name: 'view', apiGroup: rbac },
};

describe('--etcd-servers-overrides', () => {
  const chains = new TestChains();
  let other: EmbeddedEtcd;

  before(async () => {
    other = await startEmbeddedEtcd({ memory: true });
  });
  after(() => other.close());

  /** The directories below the prefix that contain keys. */
  const directoriesOf = (store: EmbeddedEtcd): Set<string> =>
    new Set([...store.snapshot().keys.values()].map(({ key }) => key.toString().split('/')[2] ?? ''));

  it('keeps what it names, resources and groups that are built in, in another etcd for the whole chain', async () => {
    const elsewhere = [`/events#${other.url}`, `${rbac}/*#${other.url}`, `example.com/things#${other.url}`];
    const flags = ['--authorization-mode=RBAC', `--etcd-servers-overrides=${elsewhere.join()}`];
    await chains.run(flags, async (chain) => {
      const transport = chain.connect('test');
      const client = new RestClient(transport);
      const textOf = async (path: string) => {
        const { status, body } = await transport.send({ method: 'GET', path });
        let text = '';
        for await (const chunk of body) text += chunk.toString();
        return { status, text };
      };
      await client.create({ group: rbac, version: 'v1', resource: 'clusterrolebindings' }, binding);
      await client.create(core('configmaps'), configMap);
      const { metadata } = await client.create(core('events'), event);
      assert.equal(Number(metadata.resourceVersion), other.revision);
      const events = { ...core('events'), group: 'events.k8s.io' };
      assert.equal((await client.get(events, 'a')).metadata.uid, metadata.uid);
      await client.create(crds, crd);
      // The resource is served once the CRD is established; the test's timeout bounds the wait.
      while ((await textOf('/apis/example.com/v1/things')).status === 404) await delay(10);
      await client.create({ group: 'example.com', version: 'v1', resource: 'things' }, thing);
      assert.deepEqual(
        directoriesOf(other),
        new Set(['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings', 'events']),
      );
      const here = directoriesOf(chains.etcd);
      for (const directory of ['configmaps', 'apiextensions.k8s.io', 'apiregistration.k8s.io', 'example.com'])
        assert.ok(here.has(directory), directory);
      for (const directory of ['clusterroles', 'rolebindings', 'events']) assert.ok(!here.has(directory), directory);
      const probe = await textOf('/readyz?verbose&exclude=etcd-override-0');
      assert.match(
        probe.text,
        /etcd ok\n.*etcd-readiness ok\n\[\+\]etcd-override-0 excluded: ok\n\[\+\]etcd-override-readiness-0 ok\n/,
      );
      const index = (await textOf('/')).text;
      assert.ok(index.includes('"/livez/etcd"') && index.includes('"/readyz/ping"'));
      assert.ok(!index.includes('/readyz/etcd'));
      assert.match((await textOf('/metrics')).text, /^apiserver_storage_size_bytes\{storage_cluster_id="etcd-1"\} \d/m);
      await transport.close();
    });
  });

  it('refuses to start where such an etcd does not respond', async () => {
    const start = chains.run(['--etcd-servers-overrides=/events#http://127.0.0.1:1'], () => undefined);
    await assert.rejects(
      start,
      /^Error: etcd does not respond at http:\/\/127.0.0.1:1 .*: start it or correct --etcd-servers-overrides$/,
    );
  });
});
