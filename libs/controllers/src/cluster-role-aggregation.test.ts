import assert from 'node:assert/strict';
import type { ClusterRole } from '@apichain/api/rbac/v1';
import { aggregatedRules } from './cluster-role-aggregation.ts';

describe('the rules of an aggregated ClusterRole', () => {
  const role = (name: string, label: string, resources: readonly string[], selects?: string): ClusterRole => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name, labels: { [label]: 'true' } },
    rules: resources.map((resource) => ({ apiGroups: [''], resources: [resource], verbs: ['get'] })),
    ...(selects === undefined
      ? {}
      : { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [selects]: 'true' } }] } }),
  });
  const rulesOf = (name: string, roles: readonly ClusterRole[]) => {
    const found = roles.find(({ metadata }) => metadata.name === name);
    assert.ok(found !== undefined);
    return aggregatedRules(found, roles).map(({ resources = [] }) => resources?.join());
  };

  it('are those of the selected roles by name, each once', () => {
    const roles = [
      role('whole', '', ['old'], 'part'),
      role('b', 'part', ['pods', 'secrets']),
      role('a', 'part', ['secrets']),
      role('other', '', ['nodes']),
    ];
    assert.deepEqual(rulesOf('whole', roles), ['secrets', 'pods']);
  });

  it('are those that selected aggregated roles are about to get', () => {
    const roles = [
      role('admin', '', [], 'to-admin'),
      role('edit', 'to-admin', ['old'], 'to-edit'),
      role('view', 'to-edit', [], 'to-view'),
      role('part', 'to-view', ['pods']),
    ];
    assert.deepEqual(rulesOf('admin', roles), ['pods']);
  });

  it('are found where roles select each other', () => {
    const roles = [role('a', 'x', [], 'x'), role('b', 'x', [], 'x'), role('part', 'x', ['pods'])];
    assert.deepEqual(rulesOf('a', roles), ['pods']);
    assert.deepEqual(rulesOf('b', roles), ['pods']);
  });
});
