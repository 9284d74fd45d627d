import assert from 'node:assert/strict';
import type { ApiGroupDiscovery } from '@apichain/apiserver';
import type { ApiService } from '../apiservice/api-service.ts';
import { AggregatedGroups } from './group-source.ts';

function apiService(group: string, version: string, priorities: [number, number], remote = false): ApiService {
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: `${version}.${group}` },
    spec: {
      group,
      version,
      groupPriorityMinimum: priorities[0],
      versionPriority: priorities[1],
      ...(remote ? { service: { namespace: 'ns', name: 'api' } } : {}),
    },
  };
}

const local = (name: string, ...versions: string[]): ApiGroupDiscovery => ({
  metadata: { name },
  versions: versions.map((version) => ({ version, resources: [], freshness: 'Current' })),
});

function aggregated(services: ApiService[], groups: ApiGroupDiscovery[]) {
  const byName = new Map(services.map((service) => [service.metadata.name ?? '', service]));
  return new AggregatedGroups(() => groups, byName);
}

const shown = (groups: readonly ApiGroupDiscovery[]) =>
  groups.map(
    ({ metadata, versions }) =>
      `${metadata.name ?? ''}: ${versions.map((v) => `${v.version} ${v.freshness}`).join(', ')}`,
  );

describe('AggregatedGroups', () => {
  it('lists versions of this chain that nobody serves only where no resources are listed', async () => {
    const services = [
      apiService('nobody.example.com', 'v1', [500, 100]),
      apiService('nobody.example.com', 'v2', [5_000, 30]),
      apiService('nobody.example.com', 'v3', [2_000, 60]),
      apiService('apps', 'v1', [17_800, 15]),
      apiService('apps', 'v2', [17_800, 9]),
      apiService('batch', 'v1', [1_000, 15]),
      apiService('', 'v1', [18_000, 1]),
    ];
    const groups = aggregated(services, [local('batch', 'v1'), local('apps', 'v1')]);
    assert.deepEqual(shown(await groups.legacySource('/apis')), [
      'apps: v1 Current, v2 Current',
      'nobody.example.com: v1 Current, v3 Current, v2 Current',
      'batch: v1 Current',
    ]);
    assert.deepEqual(shown(await groups.source('/apis')), ['apps: v1 Current', 'batch: v1 Current']);
    assert.deepEqual(shown(await groups.legacySource('/api')), ['batch: v1 Current', 'apps: v1 Current']);
  });

  it('orders groups and versions by the priorities of their APIServices, its own group first', async () => {
    const groups = aggregated(
      [
        apiService('apps', 'v1', [17_800, 15]),
        apiService('autoscaling', 'v1', [17_500, 15]),
        apiService('autoscaling', 'v2', [17_500, 30]),
        apiService('batch', 'v1', [17_400, 15]),
      ],
      [
        local('batch', 'v1'),
        local('autoscaling', 'v1', 'v2'),
        local('apps', 'v1'),
        local('apiregistration.k8s.io', 'v1'),
      ],
    );
    assert.deepEqual(shown(await groups.source('/apis')), [
      'apiregistration.k8s.io: v1 Current',
      'apps: v1 Current',
      'autoscaling: v2 Current, v1 Current',
      'batch: v1 Current',
    ]);
  });

  it('leaves out what has no APIService', async () => {
    const groups = aggregated([], [local('apps', 'v1')]);
    assert.deepEqual(shown(await groups.source('/apis')), []);
  });

  it('lists a remote group as stale until it was heard of and after it fell silent', async () => {
    const groups = aggregated([apiService('example.com', 'v1', [1000, 15], true)], []);
    assert.deepEqual(shown(await groups.source('/apis')), ['example.com: v1 Stale']);
    groups.setRemote('v1.example.com', { version: 'v1', resources: [], freshness: 'Current' });
    assert.deepEqual(shown(await groups.source('/apis')), ['example.com: v1 Current']);
    groups.setStale('v1.example.com', 'v1');
    assert.deepEqual(shown(await groups.source('/apis')), ['example.com: v1 Stale']);
    assert.deepEqual((await groups.source('/apis'))[0]?.versions, [{ version: 'v1', freshness: 'Stale' }]);
  });

  it('prefers a remote APIService over a local group-version of the same name', async () => {
    const groups = aggregated([apiService('example.com', 'v1', [1000, 15], true)], [local('example.com', 'v1')]);
    assert.deepEqual(shown(await groups.source('/apis')), ['example.com: v1 Stale']);
  });

  it('hands out the same list while nothing changes', async () => {
    const list = [local('apps', 'v1')];
    const groups = aggregated([apiService('apps', 'v1', [17_800, 15])], list);
    const first = await groups.source('/apis');
    assert.equal(await groups.source('/apis'), first);
    groups.changed();
    assert.notEqual(await groups.source('/apis'), first);
  });
});
