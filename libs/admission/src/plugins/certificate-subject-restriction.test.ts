import assert from 'node:assert/strict';
import type { KubeObject } from '@apichain/meta';
import { testAttributesOf } from '../attributes.fixture.ts';
import { CertificateSubjectRestriction } from './certificate-subject-restriction.ts';

const element = (tag: number, ...content: Buffer[]): Buffer => {
  const body = Buffer.concat(content);
  const length = body.length < 128 ? [body.length] : [0x82, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
};
const organization = (name: string) =>
  element(0x31, element(0x30, element(0x06, Buffer.from([0x55, 0x04, 0x0a])), element(0x0c, Buffer.from(name))));

/** A request with nothing but a version and a subject. */
function requestFor(...organizations: string[]): string {
  const info = element(0x30, element(0x02, Buffer.from([0])), element(0x30, ...organizations.map(organization)));
  const der = element(0x30, info).toString('base64');
  return `-----BEGIN CERTIFICATE REQUEST-----\n${der}\n-----END CERTIFICATE REQUEST-----\n`;
}

describe('CertificateSubjectRestriction', () => {
  const validate = (signerName: string, ...groups: string[]): void => {
    const object: KubeObject = {
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'CertificateSigningRequest',
      metadata: { name: 'r' },
      spec: { signerName, request: Buffer.from(requestFor(...groups)).toString('base64') },
    };
    const resource = { group: 'certificates.k8s.io', resource: 'certificatesigningrequests' };
    new CertificateSubjectRestriction().validate(testAttributesOf(resource, object));
  };
  it('refuses system:masters from the signer of clients only', () => {
    assert.throws(() => validate('kubernetes.io/kube-apiserver-client', 'a', 'system:masters'), {
      message:
        'certificatesigningrequests.certificates.k8s.io "r" is forbidden: use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed',
    });
    validate('example.com/x', 'system:masters');
    validate('kubernetes.io/kube-apiserver-client', 'a');
  });
});
