import assert from 'node:assert/strict';
import { created } from '../common/validation-for.fixture.ts';

describe('runtime classes', () => {
  it('checks runtime classes', () => {
    assert.deepEqual(created('runtimeclasses.node.k8s.io', { handler: '', overhead: { podFixed: { cpu: '-1' } } }), [
      'handler: Required value',
      'overhead.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0',
    ]);
  });
});
