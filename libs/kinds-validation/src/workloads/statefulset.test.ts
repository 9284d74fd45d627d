import assert from 'node:assert/strict';
import { created } from '../common/validation-for.fixture.ts';

describe('stateful sets', () => {
  it('shows an update strategy of an unknown type as the internal type has it', () => {
    const { updateStrategy } = { updateStrategy: { type: 'X', rollingUpdate: {} } };
    assert.equal(
      created('statefulsets.apps', { spec: { updateStrategy } }).find((line) => line.startsWith('spec.updateStrategy')),
      `spec.updateStrategy: Invalid value: {"Type":"X","RollingUpdate":{"Partition":0,"MaxUnavailable":null}}: must be 'RollingUpdate' or 'OnDelete'`,
    );
  });
});
