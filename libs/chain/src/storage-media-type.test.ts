import assert from 'node:assert/strict';
import { RestClient, type ResourceReference } from '@apichain/client';
import { crd, TestChains } from './chain.fixture.ts';

const protobuf = '--storage-media-type=application/vnd.kubernetes.protobuf';
const deployments: ResourceReference = { group: 'apps', version: 'v1', resource: 'deployments', namespace: 'default' };
const crds: ResourceReference = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  resource: 'customresourcedefinitions',
};
const labels = { app: 'a' };
const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'a', labels },
  spec: {
    replicas: 0,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: { nodeSelector: {}, containers: [{ name: 'main', image: 'a:1', args: [] }] },
    },
  },
};

describe('--storage-media-type', () => {
  const chains = new TestChains();

  /** The first bytes of the stored values, by directory. */
  function formsOf(directory: string): Set<string> {
    const values = [...chains.etcd.snapshot().keys.values()].filter(({ key }) =>
      key.toString().startsWith(`/registry/${directory}/`),
    );
    return new Set(values.map(({ value }) => value.subarray(0, 4).toString('latin1')));
  }

  const withChain = (flags: readonly string[], work: (client: RestClient) => Promise<void>) =>
    chains.run(flags, async (chain) => {
      const warnings = chain.warnings.filter((warning) => warning.includes('storage-media-type'));
      assert.deepEqual(warnings, []);
      const transport = chain.connect('test');
      await work(new RestClient(transport));
      await transport.close();
    });

  it('stores built-in objects as protobuf and serves what it has stored', async () => {
    await withChain([protobuf], async (client) => {
      const made = await client.create(deployments, deployment);
      assert.deepEqual(await client.get(deployments, 'a'), made);
      assert.deepEqual(await client.get(deployments, 'a', { resourceVersion: '0' }), made);
      const unchanged = await client.update(deployments, made);
      assert.equal(unchanged.metadata.resourceVersion, made.metadata.resourceVersion);
      const patched = await client.patch(deployments, 'a', 'merge', { spec: { replicas: 3 } });
      assert.deepEqual(await client.get(deployments, 'a'), patched);
      await client.create(crds, crd);
    });
    assert.deepEqual(formsOf('deployments'), new Set(['k8s\0']));
    assert.deepEqual(formsOf('clusterroles'), new Set(['k8s\0']));
    // As in kube-apiserver: these servers store JSON only.
    assert.deepEqual(formsOf('apiextensions.k8s.io'), new Set(['{"ki']));
    assert.deepEqual(formsOf('apiregistration.k8s.io'), new Set(['{"ki']));
  });

  it('reads either form, and an update that changes nothing changes the form', async () => {
    await withChain([], async (client) => {
      const found = await client.get(deployments, 'a');
      const again = await client.update(deployments, found);
      assert.notEqual(again.metadata.resourceVersion, found.metadata.resourceVersion);
      assert.deepEqual(formsOf('deployments'), new Set(['{"ki']));
      const unchanged = await client.update(deployments, again);
      assert.equal(unchanged.metadata.resourceVersion, again.metadata.resourceVersion);
      assert.deepEqual(unchanged['spec'], found['spec']);
    });
  });

  it('takes no other type', async () => {
    const wrong = withChain(['--storage-media-type=text/plain'], async () => undefined);
    await assert.rejects(wrong, {
      name: 'FlagError',
      message:
        '--storage-media-type "text/plain" invalid, allowed values: application/json, application/vnd.kubernetes.protobuf',
    });
  });
});
