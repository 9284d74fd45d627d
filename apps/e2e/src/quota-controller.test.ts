import assert from 'node:assert/strict';
import type { Pod, ResourceQuota } from '@apichain/api/core/v1';
import { WorkloadChain } from './workload-chain.ts';
import { eventually } from './workload-objects.ts';

describe('resource quota controller', function () {
  this.timeout(480_000);

  const addQuota = (chain: WorkloadChain, name: string, spec: ResourceQuota['spec']) =>
    chain.create<ResourceQuota>('resourcequotas', { kind: 'ResourceQuota', metadata: { name }, spec: spec ?? {} });
  const usedOf = async (chain: WorkloadChain, name: string) =>
    (await chain.get<ResourceQuota>('resourcequotas', name)).status?.used;
  const addPod = (chain: WorkloadChain, name: string, spec: Partial<Pod['spec']> = {}) =>
    chain.create<Pod>('pods', {
      kind: 'Pod',
      metadata: { name },
      spec: {
        containers: [{ name: 'a', image: 'a', resources: { requests: { cpu: '100m' }, limits: { memory: '1Gi' } } }],
        ...spec,
      },
    });

  it('counts what exists, by scopes, and counts again when objects go', async () => {
    await using chain = await WorkloadChain.start(
      ['resourcequota'],
      [
        {
          apiVersion: 'apiextensions.k8s.io/v1',
          kind: 'CustomResourceDefinition',
          metadata: { name: 'things.example.com' },
          spec: {
            group: 'example.com',
            scope: 'Namespaced',
            names: { plural: 'things', kind: 'Thing' },
            versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
          },
        },
      ],
    );
    const things = { group: 'example.com', version: 'v1', resource: 'things', namespace: 'default' };
    await chain.client.create(things, { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'first' } });
    await addPod(chain, 'plain');
    await addPod(chain, 'bounded', { activeDeadlineSeconds: 60 });
    await addPod(chain, 'best', { containers: [{ name: 'a', image: 'a' }] });
    await chain.create('services', {
      kind: 'Service',
      metadata: { name: 'web' },
      spec: {
        type: 'NodePort',
        ports: [{ port: 80 }, { name: 'b', port: 81 }].map((port, i) => ({ name: `p${i}`, ...port })),
      },
    });
    await chain.create('persistentvolumeclaims', {
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'c' },
      spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'gold', resources: { requests: { storage: '5Gi' } } },
    });
    await addQuota(chain, 'all', {
      hard: {
        pods: '10',
        'requests.cpu': '2',
        'limits.memory': '10Gi',
        'services.nodeports': '5',
        'requests.storage': '20Gi',
        'gold.storageclass.storage.k8s.io/persistentvolumeclaims': '3',
        'silver.storageclass.storage.k8s.io/requests.storage': '3',
        'count/things.example.com': '5',
        'count/deployments.apps': '5',
        'count/unserved.example.com': '5',
      },
    });
    await addQuota(chain, 'bounded', { hard: { pods: '10' }, scopes: ['Terminating'] });
    await addQuota(chain, 'best-effort', { hard: { pods: '10' }, scopes: ['BestEffort'] });
    await addQuota(chain, 'priority', {
      hard: { pods: '10' },
      scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }] },
    });
    const counted = {
      pods: '3',
      'requests.cpu': '200m',
      'limits.memory': '2Gi',
      'services.nodeports': '2',
      'requests.storage': '5Gi',
      'gold.storageclass.storage.k8s.io/persistentvolumeclaims': '1',
      'silver.storageclass.storage.k8s.io/requests.storage': '0',
      'count/things.example.com': '1',
      'count/deployments.apps': '0',
    };
    await eventually(async () => {
      assert.deepEqual(await usedOf(chain, 'all'), counted);
      assert.deepEqual(await usedOf(chain, 'bounded'), { pods: '1' });
      assert.deepEqual(await usedOf(chain, 'best-effort'), { pods: '1' });
      assert.deepEqual(await usedOf(chain, 'priority'), { pods: '0' });
    });
    const { status, spec } = await chain.get<ResourceQuota>('resourcequotas', 'all');
    assert.deepEqual(status?.hard, spec?.hard);

    await chain.setStatus('pods', 'plain', { phase: 'Succeeded' });
    await chain.client.delete(things, 'first');
    await chain.delete('services', 'web');
    await eventually(async () =>
      assert.deepEqual(await usedOf(chain, 'all'), {
        ...counted,
        pods: '2',
        'requests.cpu': '100m',
        'limits.memory': '1Gi',
        'services.nodeports': '0',
        'count/things.example.com': '0',
      }),
    );
    await chain.patch('resourcequotas', 'bounded', { spec: { hard: { pods: null, 'requests.cpu': '1' } } });
    await eventually(async () => assert.deepEqual(await usedOf(chain, 'bounded'), { 'requests.cpu': '100m' }));
    await chain.setStatus('resourcequotas', 'best-effort', { used: { pods: '7' } });
    await chain.chain.clock.advance(6 * 60_000);
    await eventually(async () => assert.deepEqual(await usedOf(chain, 'best-effort'), { pods: '1' }));
  });

  it('lets objects in again as others go', async () => {
    await using chain = await WorkloadChain.start(['resourcequota']);
    await addQuota(chain, 'one', { hard: { 'count/configmaps': '2' } });
    await eventually(async () => assert.deepEqual(await usedOf(chain, 'one'), { 'count/configmaps': '0' }));
    const add = (name: string) => chain.create('configmaps', { kind: 'ConfigMap', metadata: { name } });
    await add('a');
    await add('b');
    await assert.rejects(add('c'), /exceeded quota: one, requested: count\/configmaps=1, used: count\/configmaps=2/);
    await chain.delete('configmaps', 'a');
    await eventually(() => add('c'));
  });
});
