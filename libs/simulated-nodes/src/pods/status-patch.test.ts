import assert from 'node:assert/strict';
import { podOf } from './life.fixture.ts';
import { statusPatch } from './status-patch.ts';

describe('the patch of the status of a pod', () => {
  it('removes the address of a node that has moved', () => {
    const pod = { ...podOf(), status: { hostIP: '10.0.0.1', hostIPs: [{ ip: '10.0.0.1' }] } };
    assert.deepEqual(statusPatch(pod, { hostIP: '10.0.0.2', hostIPs: [{ ip: '10.0.0.2' }] }), {
      hostIP: '10.0.0.2',
      hostIPs: [{ ip: '10.0.0.2' }, { ip: '10.0.0.1', $patch: 'delete' }],
    });
  });
});
