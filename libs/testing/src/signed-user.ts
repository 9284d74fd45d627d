import { randomUUID } from 'node:crypto';
import type { CertificateSigningRequest } from '@apichain/api/certificates/v1';
import type { RestClient } from '@apichain/client';
import { requestClient, type CertificatePair } from '@apichain/serving/certificates';
import { eventually } from './eventually.ts';
import type { UserOptions } from './users.ts';

const resource = { group: 'certificates.k8s.io', version: 'v1', resource: 'certificatesigningrequests' };
const signerName = 'kubernetes.io/kube-apiserver-client';
const validSeconds = 24 * 3_600;
const defaultTimeoutMs = 15_000;

/**
 * A client certificate, valid for a day, that a cluster signs: a CertificateSigningRequest is made, approved and deleted again. Throws the server's
 * error when the client may not do that, or when the groups contain system:masters, and Error when the cluster does not sign it in time.
 *
 * Source: https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/
 */
export async function signedUser(
  client: RestClient,
  { name, groups = [] }: UserOptions,
  timeoutMs = defaultTimeoutMs,
): Promise<CertificatePair> {
  const { request, key } = await requestClient(name, groups);
  const made = await client.create<CertificateSigningRequest>(resource, {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name: `apichain-testing-${randomUUID()}` },
    spec: {
      request: Buffer.from(request).toString('base64'),
      signerName,
      usages: ['digital signature', 'client auth'],
      expirationSeconds: validSeconds,
    },
  });
  const requestName = made.metadata.name ?? '';
  try {
    const approval = { type: 'Approved', status: 'True', reason: 'Test', message: 'a user of a test' };
    const approved = { ...made, status: { conditions: [approval] } };
    await client.update<CertificateSigningRequest>(resource, approved, { subresource: 'approval' });
    return { certificate: await certificateOf(client, requestName, { name, timeoutMs }), key };
  } finally {
    await client.delete(resource, requestName);
  }
}

async function certificateOf(
  client: RestClient,
  requestName: string,
  { name, timeoutMs }: { readonly name: string; readonly timeoutMs: number },
): Promise<string> {
  let refusal: string | undefined;
  const certificate = await eventually(
    async () => {
      const { status } = await client.get<CertificateSigningRequest>(resource, requestName);
      const failed = status?.conditions?.find(({ type }) => type === 'Failed' || type === 'Denied');
      refusal = failed && `${failed.type}: ${failed.message ?? failed.reason ?? ''}`;
      if (refusal !== undefined) return undefined;
      if (status?.certificate === undefined)
        throw new Error(`nobody signs for ${signerName}, as kube-controller-manager does`);
      return Buffer.from(status.certificate, 'base64').toString();
    },
    { timeoutMs, intervalMs: 50, what: `the certificate of the user ${name}` },
  );
  if (certificate === undefined) throw new Error(`the certificate of the user ${name}: ${refusal}`);
  return certificate;
}
