import assert from 'node:assert/strict';
import { created, updated } from '../common/validation-for.fixture.ts';

describe('roles and bindings', () => {
  it('checks roles and bindings', () => {
    assert.deepEqual(
      created('clusterroles.rbac.authorization.k8s.io', { rules: [{ verbs: [], nonResourceURLs: ['/x'] }] }),
      ['rules[0].verbs: Required value: verbs must contain at least one value'],
    );
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'r' };
    assert.deepEqual(
      updated('clusterrolebindings.rbac.authorization.k8s.io', { roleRef: { ...roleRef, name: 's' } }, { roleRef }),
      [
        'roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"ClusterRole","Name":"s"}: cannot change roleRef',
      ],
    );
  });
});
