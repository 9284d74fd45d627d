import assert from 'node:assert/strict';
import { created } from '../common/validation-for.fixture.ts';

describe('priority classes', () => {
  it('checks priority classes', () => {
    const classes = 'priorityclasses.scheduling.k8s.io';
    assert.deepEqual(created(classes, { value: 1, preemptionPolicy: 'X' }), [
      'preemptionPolicy: Unsupported value: "X": supported values: "PreemptLowerPriority", "Never"',
    ]);
    assert.deepEqual(created(classes, { value: 2000001000, globalDefault: true }, 'system-node-critical'), [
      "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. " +
        'error: globalDefault of system-node-critical PriorityClass must be false',
    ]);
  });
});
