import assert from 'node:assert/strict';
import type { CertificateSigningRequest, CertificateSigningRequestStatus } from '@apichain/api/certificates/v1';
import type { RequestedCertificate } from '@apichain/serving/certificates';
import { possibleApprovals } from './approving-controller.ts';
import { waitsForSigner } from './request-state.ts';
import { signers } from './signers.ts';
import { isStale } from './cleaner-controller.ts';
import { extensionsOf, validityOf } from './signing-controller.ts';

const now = Date.parse('2026-06-01T12:00:00Z');
const ago = (hours: number) => new Date(now - hours * 3_600_000).toISOString();
const node: RequestedCertificate = {
  commonName: 'system:node:a',
  organizations: ['system:nodes'],
  dnsNames: [],
  emailAddresses: [],
  ipAddresses: [],
  uris: [],
};
const client = ['digital signature', 'key encipherment', 'client auth'];
const server = ['digital signature', 'server auth'];

describe('the signers of kube-controller-manager', () => {
  const rows: readonly [
    signer: string,
    requested: Partial<RequestedCertificate>,
    usages: string[],
    problem?: string,
  ][] = [
    ['kube-apiserver-client', { organizations: ['a'] }, ['client auth']],
    ['kube-apiserver-client', {}, ['digital signature'], 'missing required usage for client certificate: client auth'],
    ['kube-apiserver-client', {}, ['server auth'], 'invalid usage for client certificate: server auth'],
    ['kube-apiserver-client-kubelet', {}, client],
    ['kube-apiserver-client-kubelet', {}, ['digital signature', 'client auth']],
    [
      'kube-apiserver-client-kubelet',
      {},
      ['client auth'],
      'usages did not match [client auth digital signature key encipherment]',
    ],
    [
      'kube-apiserver-client-kubelet',
      { organizations: ['system:nodes', 'system:masters'] },
      client,
      'subject organization is not system:nodes',
    ],
    ['kube-apiserver-client-kubelet', { dnsNames: ['a'] }, client, 'DNS subjectAltNames are not allowed'],
    ['kube-apiserver-client-kubelet', { ipAddresses: ['::1'] }, client, 'IP subjectAltNames are not allowed'],
    [
      'kube-apiserver-client-kubelet',
      { commonName: 'a' },
      client,
      'subject common name does not begin with system:node:',
    ],
    ['kubelet-serving', { dnsNames: ['a'] }, server],
    ['kubelet-serving', {}, server, 'DNS or IP subjectAltName is required'],
    ['kubelet-serving', { ipAddresses: ['1.2.3.4'], uris: ['a:b'] }, server, 'URI subjectAltNames are not allowed'],
    [
      'kubelet-serving',
      { dnsNames: ['a'] },
      client,
      'usages did not match [digital signature key encipherment server auth]',
    ],
    ['legacy-unknown', { commonName: '' }, ['any']],
  ];
  for (const [signer, requested, usages, problem] of rows)
    it(`${signer}: ${problem ?? 'signs'} (${usages.join(', ')})`, () =>
      assert.equal(signers.get(`kubernetes.io/${signer}`)?.({ ...node, ...requested }, usages), problem));

  it('know the extensions of all usages', () => {
    assert.deepEqual(extensionsOf(['s/mime', 'server auth', 'email protection', 'cert sign', 'signing']), {
      keyUsage: 33,
      extendedKeyUsages: ['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.4'],
    });
    assert.throws(() => extensionsOf(['a', 'any']), { message: 'unrecognized usage values: ["a"]' });
  });

  it('limit the life of certificates', () => {
    const limits = { durationMs: 24 * 3_600_000, authorityEnds: now + 48 * 3_600_000 };
    const minutes = (seconds: number | undefined, more = {}) => {
      const { notBefore, notAfter } = validityOf(now, seconds, { ...limits, ...more });
      assert.equal(now - notBefore.getTime(), 5 * 60_000);
      return (notAfter.getTime() - now) / 60_000;
    };
    assert.equal(minutes(undefined), 24 * 60 - 5);
    assert.equal(minutes(3_600), 60);
    assert.equal(minutes(60), 10, 'at least ten minutes');
    assert.equal(minutes(8 * 3_600), 8 * 60 - 5);
    assert.equal(minutes(30 * 24 * 3_600), 24 * 60 - 5);
    assert.equal(minutes(undefined, { authorityEnds: now + 60_000 }), 1);
    assert.throws(() => minutes(undefined, { authorityEnds: now }), {
      message: 'refusing to sign a certificate that expired in the past: NotAfter=2026-06-01 12:00:00 +0000 UTC',
    });
  });
});

function request(
  status: CertificateSigningRequestStatus,
  spec: CertificateSigningRequest['spec'] = {},
  created = ago(0),
) {
  const metadata = { name: 'a', creationTimestamp: created };
  return { apiVersion: 'certificates.k8s.io/v1', kind: 'CertificateSigningRequest', metadata, spec, status };
}

describe('requests for certificates', () => {
  it('are approved for kubelets with a permission', () => {
    const signerName = 'kubernetes.io/kube-apiserver-client-kubelet';
    const asked = (username: string, more = {}) =>
      possibleApprovals(request({}, { signerName, usages: client, username, ...more }), node).map(
        (each) => each.subresource,
      );
    assert.deepEqual(asked('system:node:a'), ['selfnodeclient', 'nodeclient']);
    assert.deepEqual(asked('bootstrap'), ['nodeclient']);
    assert.deepEqual(asked('system:node:a', { usages: server }), []);
    assert.deepEqual(asked('system:node:a', { signerName: 'kubernetes.io/kubelet-serving' }), []);
  });

  it('wait for their signer when approved', () => {
    const waits = (...types: string[]) =>
      waitsForSigner(request({ conditions: types.map((type) => ({ type, status: 'True' })) }));
    assert.equal(waits('Approved'), true);
    assert.equal(waits(), false);
    assert.equal(waits('Approved', 'Denied'), false);
    assert.equal(waits('Approved', 'Failed'), false);
    assert.equal(waitsForSigner(request({ conditions: [{ type: 'Approved' }], certificate: 'YQ==' })), false);
  });

  const stale: readonly [what: string, stale: boolean, status: CertificateSigningRequestStatus, created?: string][] = [
    ['new', false, {}],
    ['pending for a day', true, {}, ago(25)],
    ['denied lately', false, { conditions: [{ type: 'Denied', lastUpdateTime: ago(0.5) }] }, ago(30)],
    ['denied long ago', true, { conditions: [{ type: 'Denied', lastUpdateTime: ago(1.1) }] }],
    ['failed long ago', true, { conditions: [{ type: 'Failed', lastUpdateTime: ago(1.1) }] }],
    ['issued long ago', true, { conditions: [{ type: 'Approved', lastUpdateTime: ago(1.1) }], certificate: 'YQ==' }],
    ['approved, not issued', false, { conditions: [{ type: 'Approved', lastUpdateTime: ago(1.1) }] }],
    ['approved, not issued for a day', true, { conditions: [{ type: 'Approved', lastUpdateTime: ago(25) }] }],
    ['without a time', false, { conditions: [{ type: 'Denied' }] }],
  ];
  for (const [what, expected, status, created] of stale)
    it(`are ${expected ? '' : 'not '}cleaned up: ${what}`, () =>
      assert.equal(isStale(request(status, {}, created), now), expected));
});
