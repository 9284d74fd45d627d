import assert from 'node:assert/strict';
import { created } from '../common/validation-for.fixture.ts';

describe('quotas', () => {
  it('checks scopes', () => {
    const spec = { hard: { cpu: '1' }, scopes: ['BestEffort'] };
    assert.deepEqual(created('resourcequotas', { spec }), [
      'spec.scopes: Invalid value: ["BestEffort"]: unsupported scope applied to resource',
    ]);
  });
});
