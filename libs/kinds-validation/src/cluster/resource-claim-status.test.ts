import assert from 'node:assert/strict';
import type { KubeObject } from '@apichain/meta';
import { validateResourceClaimStatus } from './resource-claim-status.ts';

const claim = (devices: object[]): KubeObject => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceClaim',
  metadata: { name: 'c' },
  status: { devices },
});

describe('status of claims', () => {
  it('names a device by all four parts, a share by its text', () => {
    const device = { driver: 'a.b', pool: 'p', device: 'd' };
    const shareID = '00000000-0000-4000-8000-000000000000';
    const errors = validateResourceClaimStatus(claim([device, { ...device, shareID }]), claim([]));
    const message = (share: string): string =>
      `Invalid value: {"Driver":"a.b","Pool":"p","Device":"d","ShareID":"${share}"}: must be an allocated device in the claim`;
    assert.deepEqual(
      errors.map((error) => error.message),
      [message(''), message(shareID)],
    );
  });

  it('takes the tolerations of a result as the scheduler copied them', () => {
    const result = {
      request: 'r',
      driver: 'a.b',
      pool: 'p',
      device: 'd',
      tolerations: [{ key: 'no key', operator: '' }],
    };
    const spec = { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'c' } }] } };
    const allocated = { ...claim([]), spec, status: { allocation: { devices: { results: [result] } } } };
    assert.deepEqual(validateResourceClaimStatus(allocated, { ...claim([]), spec }), []);
  });
});
