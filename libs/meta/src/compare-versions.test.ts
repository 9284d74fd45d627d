import assert from 'node:assert/strict';
import { compareVersions } from './compare-versions.ts';

describe('compareVersions', () => {
  it('orders versions as Kubernetes does', () => {
    const versions = ['foo10', 'v1alpha1', 'v11', 'foo1', 'v3beta1', 'v2', 'v12alpha1', 'v11beta2', 'v10beta3', 'v1'];
    assert.deepEqual(versions.sort(compareVersions), [
      'v11',
      'v2',
      'v1',
      'v11beta2',
      'v10beta3',
      'v3beta1',
      'v12alpha1',
      'v1alpha1',
      'foo1',
      'foo10',
    ]);
  });
});
