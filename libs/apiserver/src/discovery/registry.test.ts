import assert from 'node:assert/strict';
import { compareVersions } from '@apichain/meta';
import { aggregatedContentType } from './endpoints.ts';
import { mergeGroups, orderByPriority } from './merge.ts';
import { DiscoveryRegistry, defaultPriorities } from './registry.ts';
import { toDiscovery } from './resources.ts';

const resource = (name: string, kind: string, more: object = {}) => ({
  name,
  singularName: name.includes('/') ? '' : kind.toLowerCase(),
  namespaced: true,
  kind,
  verbs: ['get'],
  ...more,
});
const group = (name: string, ...versions: string[]) => ({
  metadata: { name },
  versions: versions.map((version) => ({ version, freshness: 'Current' as const })),
});

describe('discovery', () => {
  it('lists subresources below their resource', () => {
    const found = toDiscovery([
      resource('deployments', 'Deployment', { shortNames: ['deploy'] }),
      resource('deployments/scale', 'Scale', { group: 'autoscaling', version: 'v1' }),
      resource('orphans/status', 'Orphan'),
    ]);
    assert.deepEqual(JSON.parse(JSON.stringify(found)), [
      {
        resource: 'deployments',
        responseKind: { group: '', version: '', kind: 'Deployment' },
        scope: 'Namespaced',
        singularResource: 'deployment',
        verbs: ['get'],
        shortNames: ['deploy'],
        subresources: [
          {
            subresource: 'scale',
            responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
            verbs: ['get'],
          },
        ],
      },
      {
        resource: 'orphans',
        responseKind: { group: '', version: '', kind: '' },
        scope: 'Namespaced',
        singularResource: '',
        verbs: [],
        subresources: [
          { subresource: 'status', responseKind: { group: '', version: '', kind: 'Orphan' }, verbs: ['get'] },
        ],
      },
    ]);
  });

  it('orders groups by priority and versions by theirs', () => {
    const registry = new DiscoveryRegistry();
    registry.set({ group: 'b', version: 'v1' }, [], { groupPriorityMinimum: 10, versionPriority: { v1: 1 } });
    registry.set({ group: 'a', version: 'v1' }, [], { groupPriorityMinimum: 10, versionPriority: { v1: 1 } });
    registry.set({ group: 'z', version: 'v1beta1' }, [], { groupPriorityMinimum: 99, versionPriority: {} });
    registry.set({ group: 'z', version: 'v1' }, [], { groupPriorityMinimum: 99, versionPriority: {} });
    assert.deepEqual(
      registry.groups().map(({ metadata, versions }) => [metadata.name, ...versions.map(({ version }) => version)]),
      [
        ['z', 'v1', 'v1beta1'],
        ['a', 'v1'],
        ['b', 'v1'],
      ],
    );
    assert.deepEqual(defaultPriorities(['v2', 'v1']).versionPriority, { v2: 16, v1: 15 });
  });

  it('merges the groups of two servers', () => {
    const merged = mergeGroups([group('a', 'v1')], [group('a', 'v1', 'v2'), group('b', 'v1')]);
    assert.deepEqual(
      merged.map(({ metadata, versions }) => [metadata.name, ...versions.map(({ version }) => version)]),
      [
        ['a', 'v1', 'v2'],
        ['b', 'v1'],
      ],
    );
    const priorities: Record<string, number> = { 'b/v1': 2, 'a/v1': 1, 'a/v2': 1 };
    const ordered = orderByPriority(
      merged,
      (name, version) => {
        const priority = priorities[`${name}/${version}`];
        return priority === undefined ? undefined : { groupPriorityMinimum: priority, versionPriority: priority };
      },
      compareVersions,
    );
    assert.deepEqual(
      ordered.map(({ metadata, versions }) => [metadata.name, ...versions.map(({ version }) => version)]),
      [
        ['b', 'v1'],
        ['a', 'v2', 'v1'],
      ],
    );
  });

  it('uses the first matching clause of Accept, regardless of its weight', () => {
    const v2 = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
    const v2beta1 = 'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList';
    assert.equal(aggregatedContentType(`${v2},${v2beta1},application/json`), v2);
    assert.equal(aggregatedContentType(`${v2beta1},application/json`), undefined);
    assert.equal(aggregatedContentType(`application/json,${v2}`), v2);
    assert.equal(aggregatedContentType(`${v2};q=0.1,application/json`), v2);
    assert.equal(aggregatedContentType(`text/*;${v2.slice(17)}`), undefined);
    assert.equal(aggregatedContentType(`application/json;q=0.5,${v2}`), v2);
    assert.equal(aggregatedContentType(undefined), undefined);
    const protobuf = v2.replace('application/json', 'application/vnd.kubernetes.protobuf');
    assert.equal(aggregatedContentType(`${protobuf},${v2}`), protobuf);
    assert.equal(aggregatedContentType(`${protobuf},${v2}`, false), v2);
    assert.equal(aggregatedContentType(`application/vnd.kubernetes.protobuf,${v2}`), v2);
  });
});
