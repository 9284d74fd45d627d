import assert from 'node:assert/strict';
import { created } from '../common/validation-for.fixture.ts';

describe('certificate signing requests', () => {
  it('checks what is asked for', () => {
    const spec = { request: 'eHg=', usages: ['any', 'any'], signerName: 'example.com/s' };
    assert.deepEqual(created('certificatesigningrequests.certificates.k8s.io', { spec }), [
      'spec.request: Invalid value: "eHg=": PEM block type must be CERTIFICATE REQUEST',
      'spec.usages[1]: Duplicate value: "any"',
    ]);
  });
});
