import assert from 'node:assert/strict';
import { PodAddresses } from './addresses.ts';
import { podOf } from './life.fixture.ts';

describe('the addresses of pods', () => {
  const pod = (uid: string, podIP?: string) => ({
    ...podOf({}, {}, { uid }),
    ...(podIP === undefined ? {} : { status: { podIP } }),
  });

  it('are different, stay, and are not those of pods that have one already', () => {
    const addresses = new PodAddresses('10.244.3.0/24');
    assert.equal(addresses.of(pod('old', '10.244.3.2')), '10.244.3.2');
    assert.equal(addresses.of(pod('a')), '10.244.3.3');
    assert.equal(addresses.of(pod('b')), '10.244.3.4');
    assert.equal(addresses.of(pod('a')), '10.244.3.3');
  });

  it('are given again when their pods are gone and the others are used up', () => {
    const addresses = new PodAddresses('10.244.3.0/24');
    const all = Array.from({ length: 253 }, (_, index) => addresses.of(pod(`pod-${index}`)));
    assert.equal(new Set(all).size, 253);
    addresses.forget('pod-7');
    assert.equal(addresses.of(pod('new')), all[7]);
  });
});
