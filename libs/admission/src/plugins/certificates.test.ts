import assert from 'node:assert/strict';
import type { KubeObject } from '@apichain/meta';
import { testAttributesOf } from '../attributes.fixture.ts';
import { certificateRequestFor } from './certificate-request.fixture.ts';
import { CertificateSubjectRestriction } from './certificates.ts';

describe('CertificateSubjectRestriction', () => {
  const validate = (signerName: string, ...groups: string[]): void => {
    const request = certificateRequestFor(...groups.map((group) => ['O', group] as const));
    const object: KubeObject = {
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'CertificateSigningRequest',
      metadata: { name: 'r' },
      spec: { signerName, request: Buffer.from(request).toString('base64') },
    };
    const resource = { group: 'certificates.k8s.io', resource: 'certificatesigningrequests' };
    new CertificateSubjectRestriction().validate(testAttributesOf(resource, object));
  };
  it('refuses system:masters only for the signer kube-apiserver-client', () => {
    assert.throws(() => validate('kubernetes.io/kube-apiserver-client', 'a', 'system:masters'), {
      message:
        'certificatesigningrequests.certificates.k8s.io "r" is forbidden: use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed',
    });
    validate('example.com/x', 'system:masters');
    validate('kubernetes.io/kube-apiserver-client', 'a');
  });
});
