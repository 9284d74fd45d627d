import assert from 'node:assert/strict';
import { created } from '../common/validation-for.fixture.ts';

describe('leases', () => {
  it('checks how long they last', () => {
    assert.deepEqual(created('leases.coordination.k8s.io', { spec: { leaseDurationSeconds: 0 } }), [
      'spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0',
    ]);
  });
});
