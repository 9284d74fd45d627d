import assert from 'node:assert/strict';
import { created, updated } from '../common/validation-for.fixture.ts';

describe('ServiceCIDRs', () => {
  it('takes the ranges of a ServiceCIDR one by one before both together', () => {
    assert.deepEqual(created('servicecidrs.networking.k8s.io', { spec: { cidrs: ['10.1.0.0/16', '10.2.0.1/16'] } }), [
      'spec.cidrs[1]: Invalid value: "10.2.0.1/16": must not have bits set beyond the prefix length',
      'spec.cidrs: Invalid value: ["10.1.0.0/16","10.2.0.1/16"]: may specify no more than one IP for each IP family, i.e ' +
        '192.168.0.0/24 and 2001:db8::/64',
    ]);
  });

  it('lets a range of Services gain a second family only', () => {
    const change = (cidrs: string[], before: string[]) =>
      updated('servicecidrs.networking.k8s.io', { spec: { cidrs } }, { spec: { cidrs: before } });
    assert.deepEqual(change(['10.0.0.0/28'], ['10.1.0.0/28']), [
      'spec.cidrs[0]: Invalid value: "10.0.0.0/28": field is immutable',
    ]);
    assert.deepEqual(change(['10.0.0.0/28', '2001:db8::/64'], ['10.0.0.0/28']), []);
    assert.deepEqual(change(['10.0.0.0/28'], ['10.0.0.0/28', '2001:db8::/64']), [
      'spec.cidrs: Invalid value: ["10.0.0.0/28"]: field is immutable',
    ]);
  });

  it('keeps its ranges', () => {
    const cidrs = { spec: { cidrs: ['10.0.0.0/16'] } };
    assert.deepEqual(updated('servicecidrs.networking.k8s.io', {}, cidrs), [
      'spec.cidrs: Invalid value: null: field is immutable',
    ]);
  });
});
