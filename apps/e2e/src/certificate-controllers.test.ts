import assert from 'node:assert/strict';
import type { CertificateSigningRequest } from '@apichain/api/certificates/v1';
import { RestClient, httpTransport } from '@apichain/client';
import type { KubeObject } from '@apichain/meta';
import { requestClient } from '@apichain/serving/certificates';
import { WorkloadChain } from './workload-chain.ts';
import { eventually } from './workload-objects.ts';

describe('controllers of certificate signing requests', function () {
  this.timeout(480_000);

  const addRequest = (chain: WorkloadChain, name: string, request: string, signer: string, usage = 'client auth') =>
    chain.create<CertificateSigningRequest>('certificatesigningrequests', {
      kind: 'CertificateSigningRequest',
      metadata: { name },
      spec: {
        request: Buffer.from(request).toString('base64'),
        signerName: `kubernetes.io/${signer}`,
        usages: ['digital signature', usage],
      },
    });
  const requestOf = (chain: WorkloadChain, name: string) =>
    chain.get<CertificateSigningRequest>('certificatesigningrequests', name);
  const conditionsOf = ({ status }: CertificateSigningRequest) =>
    (status?.conditions ?? []).map(({ type, reason, message }) => `${type} ${reason}: ${message}`);

  it('approve and sign the certificates of kubelets, refuse others, and clean up', async () => {
    await using chain = await WorkloadChain.start(
      ['csrapproving', 'csrsigning', 'csrcleaner'],
      [],
      ['--authorization-mode=RBAC'],
    );
    const { request, key } = await requestClient('system:node:n', ['system:nodes']);
    await addRequest(chain, 'kubelet', request, 'kube-apiserver-client-kubelet');
    const signed = await eventually(async () => {
      const found = await requestOf(chain, 'kubelet');
      assert.deepEqual(conditionsOf(found), [
        'Approved AutoApproved: Auto approving kubelet client certificate after SubjectAccessReview.',
      ]);
      assert.ok(found.status?.certificate !== undefined);
      return found.status.certificate;
    });
    const { url, admin } = chain.chain;
    const cert = Buffer.from(signed, 'base64').toString();
    const kubelet = new RestClient(httpTransport({ url, ca: admin.ca, cert, key }));
    const reviews = { group: 'authentication.k8s.io', version: 'v1', resource: 'selfsubjectreviews' };
    const review = await kubelet.create<KubeObject>(reviews, {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'SelfSubjectReview',
      metadata: {},
    });
    await kubelet.close();
    const { userInfo } = review.status as { userInfo: { username: string; groups: string[] } };
    assert.equal(userInfo.username, 'system:node:n');
    assert.ok(userInfo.groups.includes('system:nodes'));

    await addRequest(chain, 'serving', request, 'kubelet-serving', 'server auth');
    await addRequest(chain, 'pending', request, 'kube-apiserver-client');
    const approval = { type: 'Approved', status: 'True', reason: 'Test', message: 'by a test' };
    await chain.patch('certificatesigningrequests', 'serving', { status: { conditions: [approval] } }, 'approval');
    await eventually(async () =>
      assert.deepEqual(conditionsOf(await requestOf(chain, 'serving')), [
        'Approved Test: by a test',
        'Failed SignerValidationFailure: DNS or IP subjectAltName is required',
      ]),
    );
    assert.deepEqual(conditionsOf(await requestOf(chain, 'pending')), []);
    const names = async () => (await chain.list('certificatesigningrequests')).map(({ metadata }) => metadata.name);
    await chain.chain.clock.advance(2 * 3_600_000);
    await eventually(async () => assert.deepEqual(await names(), ['pending']));
    await chain.chain.clock.advance(24 * 3_600_000);
    await eventually(async () => assert.deepEqual(await names(), []));
  });
});
