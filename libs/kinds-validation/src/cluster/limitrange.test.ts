import assert from 'node:assert/strict';
import { created } from '../common/validation-for.fixture.ts';

describe('limit ranges', () => {
  it('checks limits', () => {
    const limits = [{ type: 'Container', min: { cpu: '2' }, max: { cpu: '1' } }];
    assert.deepEqual(created('limitranges', { spec: { limits } }), [
      'spec.limits[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 1',
    ]);
    const max = { cpu: '1' };
    // If one amount exceeds 64 bits in thousandths, all are rounded up to integers: 50m become 1.
    const ratio = { type: 'Container', max, min: { cpu: '50m' }, maxLimitRequestRatio: { cpu: '1E' } };
    assert.deepEqual(created('limitranges', { spec: { limits: [ratio] } }), [
      'spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "1E": ratio 1E is greater than max/min = 1.000000',
    ]);
    const ofPod = { type: 'Pod', max, defaultRequest: { cpu: '2' } };
    assert.deepEqual(created('limitranges', { spec: { limits: [ofPod] } }), [
      "spec.limits[0].defaultRequest: Forbidden: may not be specified when `type` is 'Pod'",
    ]);
  });
});
