import assert from 'node:assert/strict';
import type { Pod } from '@apichain/api/core/v1';
import type { PodDisruptionBudget } from '@apichain/api/policy/v1';
import { isStatusError } from '@apichain/meta';
import { WorkloadChain, soon } from './workload-chain.ts';

describe('disruption controller', function () {
  this.timeout(480_000);

  async function addPod(
    chain: WorkloadChain,
    name: string,
    ready: boolean,
    owner?: { name: string; uid: string },
  ): Promise<void> {
    const ownerReferences =
      owner === undefined ? [] : [{ apiVersion: 'apps/v1', kind: 'StatefulSet', controller: true, ...owner }];
    await chain.create<Pod>('pods', {
      kind: 'Pod',
      metadata: { name, labels: { app: 'db' }, ownerReferences },
      spec: { containers: [{ name: 'a', image: 'a' }] },
    });
    await chain.setStatus('pods', name, {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: '2026-01-01T00:00:00Z' }],
    });
  }
  const evict = (chain: WorkloadChain, name: string) =>
    chain.client.request(
      'POST',
      `/api/v1/namespaces/default/pods/${name}/eviction`,
      {},
      {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name },
      },
    );
  const statusOf = async (chain: WorkloadChain, name: string) => {
    const { status = {} } = await chain.get<PodDisruptionBudget>('poddisruptionbudgets', name);
    const { disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods, conditions } = status;
    return `${disruptionsAllowed} allowed, ${currentHealthy} of ${desiredHealthy} healthy, ${expectedPods} expected, ${conditions?.[0]?.reason}`;
  };

  it('counts healthy pods, and allows as many evictions as the budget has', async () => {
    await using chain = await WorkloadChain.start(['disruption']);
    const selector = { matchLabels: { app: 'db' } };
    await chain.create<PodDisruptionBudget>('poddisruptionbudgets', {
      kind: 'PodDisruptionBudget',
      metadata: { name: 'least' },
      spec: { minAvailable: 1, selector },
    });
    await soon(async () => {
      assert.equal(await statusOf(chain, 'least'), '0 allowed, 0 of 1 healthy, 0 expected, InsufficientPods');
      assert.deepEqual(await chain.events('least'), ['NoPods: No matching pods found']);
    });
    await addPod(chain, 'a', true);
    await addPod(chain, 'b', true);
    await addPod(chain, 'c', false);
    await soon(async () =>
      assert.equal(await statusOf(chain, 'least'), '1 allowed, 2 of 1 healthy, 3 expected, SufficientPods'),
    );
    await evict(chain, 'a');
    await soon(async () =>
      assert.equal(await statusOf(chain, 'least'), '0 allowed, 1 of 1 healthy, 2 expected, InsufficientPods'),
    );
    await assert.rejects(evict(chain, 'b'), (error) => isStatusError(error, 'TooManyRequests'));
  });

  it('asks the scale subresource of a custom resource', async () => {
    const replicas = { type: 'object', properties: { replicas: { type: 'integer' } } };
    const crew = (subresources: object) => ({
      ...{ name: 'v1', served: true, storage: true, subresources },
      schema: { openAPIV3Schema: { type: 'object', properties: { spec: replicas, status: replicas } } },
    });
    const definition = (plural: string, kind: string, subresources: object) => ({
      ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
      ...{ metadata: { name: `${plural}.example.com` } },
      spec: {
        ...{ group: 'example.com', scope: 'Namespaced', names: { plural, kind, singular: kind.toLowerCase() } },
        versions: [crew(subresources)],
      },
    });
    const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };
    await using chain = await WorkloadChain.start(
      ['disruption'],
      [definition('crews', 'Crew', { status: {}, scale }), definition('flocks', 'Flock', { status: {} })],
    );
    for (const [resource, kind] of [
      ['crews', 'Crew'],
      ['flocks', 'Flock'],
    ] as const) {
      const name = kind.toLowerCase();
      const { metadata } = await chain.client.create(
        { group: 'example.com', version: 'v1', resource, namespace: 'default' },
        { apiVersion: 'example.com/v1', kind, metadata: { name }, spec: { replicas: 5 } },
      );
      const owner = { apiVersion: 'example.com/v1', kind, name, uid: metadata.uid ?? '', controller: true };
      await chain.create<Pod>('pods', {
        kind: 'Pod',
        metadata: { name, labels: { app: name }, ownerReferences: [owner] },
        spec: { containers: [{ name: 'a', image: 'a' }] },
      });
      await chain.create<PodDisruptionBudget>('poddisruptionbudgets', {
        kind: 'PodDisruptionBudget',
        metadata: { name },
        spec: { minAvailable: '50%', selector: { matchLabels: { app: name } } },
      });
    }
    await soon(async () => {
      assert.equal(await statusOf(chain, 'crew'), '0 allowed, 0 of 3 healthy, 5 expected, InsufficientPods');
      const { status } = await chain.get<PodDisruptionBudget>('poddisruptionbudgets', 'flock');
      assert.equal(status?.conditions?.[0]?.message, 'flocks.example.com does not implement the scale subresource');
    });
  });

  it('takes the number of pods from their controllers', async () => {
    await using chain = await WorkloadChain.start(['disruption']);
    const selector = { matchLabels: { app: 'db' } };
    const { metadata } = await chain.create('statefulsets', {
      kind: 'StatefulSet',
      metadata: { name: 'db' },
      spec: {
        replicas: 4,
        selector,
        serviceName: 'db',
        template: { metadata: { labels: { app: 'db' } }, spec: { containers: [{ name: 'a', image: 'a' }] } },
      },
    });
    await addPod(chain, 'db-0', true, { name: 'db', uid: metadata.uid ?? '' });
    await chain.create<PodDisruptionBudget>('poddisruptionbudgets', {
      kind: 'PodDisruptionBudget',
      metadata: { name: 'share' },
      spec: { maxUnavailable: '30%', selector },
    });
    await soon(async () =>
      assert.equal(await statusOf(chain, 'share'), '0 allowed, 1 of 2 healthy, 4 expected, InsufficientPods'),
    );
    await addPod(chain, 'alone', true);
    await soon(async () => {
      const text =
        'UnmanagedPods: Pods selected by this PodDisruptionBudget (selector: &LabelSelector{MatchLabels:map[string]string{app: db,},MatchExpressions:[]LabelSelectorRequirement{},}) were found to be unmanaged.';
      assert.ok((await chain.events('share')).some((event) => event.startsWith(text)));
    });
    await addPod(chain, 'orphan', true, { name: 'gone', uid: 'aaaaaaaa-0000-0000-0000-000000000000' });
    await soon(async () => {
      const { status } = await chain.get<PodDisruptionBudget>('poddisruptionbudgets', 'share');
      assert.equal(status?.conditions?.[0]?.reason, 'SyncFailed');
      assert.equal(status.conditions[0].message, 'found no controllers for pod "orphan"');
    });
  });
});
