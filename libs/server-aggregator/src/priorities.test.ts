import assert from 'node:assert/strict';
import { builtinGroupVersions } from '@apichain/kinds';
import { apiRegistrationPriority, builtinPriority } from './priorities.ts';

describe('the priorities of built-in group-versions', () => {
  it('are there for each that is served: without one it has no APIService, and discovery does not name it', () => {
    const missing = builtinGroupVersions
      .filter(
        ({ group, version }) => group !== 'apiregistration.k8s.io' && builtinPriority(group, version) === undefined,
      )
      .map(({ group, version }) => `${group}/${version}`);
    assert.deepEqual(missing, []);
    assert.deepEqual(builtinPriority('autoscaling', 'v2'), { group: 17_500, version: 30 });
    assert.equal(builtinPriority('apiregistration.k8s.io', 'v1'), undefined);
    assert.ok(apiRegistrationPriority.group > (builtinPriority('', 'v1')?.group ?? Infinity));
  });
});
