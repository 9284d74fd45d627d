import assert from 'node:assert/strict';
import { created, updated } from '../common/validation-for.fixture.ts';

describe('nodes', () => {
  it('checks nodes', () => {
    const taint = { key: 'k', effect: 'NoSchedule' };
    assert.deepEqual(created('nodes', { spec: { taints: [taint, taint], podCIDRs: ['10.9.0.0/24', '10.9.1.0/24'] } }), [
      'metadata.taints[1]: Duplicate value: {"Key":"k","Value":"","Effect":"NoSchedule","TimeAdded":null}: taints must be unique by key and effect pair',
      'spec.podCIDRs: Invalid value: ["10.9.0.0/24","10.9.1.0/24"]: may specify no more than one CIDR for each IP family',
    ]);
    assert.deepEqual(updated('nodes', { spec: { providerID: 'b' } }, { spec: { providerID: 'a' } }), [
      'spec.providerID: Forbidden: node updates may not change providerID except from "" to valid',
    ]);
  });

  it('reports the taints of a changed node as those of a new one, and as changed ones', () => {
    const taint =
      'metadata.taints[0].effect: Unsupported value: "X": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"';
    assert.deepEqual(updated('nodes', { spec: { taints: [{ key: 'a', effect: 'X' }] } }, {}), [taint, taint]);
  });
});
