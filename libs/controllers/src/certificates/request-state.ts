import type { CertificateSigningRequest } from '@apichain/api/certificates/v1';
import type { ResourceReference } from '@apichain/client';

/** CertificateSigningRequests: https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/ */
export const certificateSigningRequests: ResourceReference<CertificateSigningRequest> = {
  group: 'certificates.k8s.io',
  version: 'v1',
  resource: 'certificatesigningrequests',
};

/** Whether a request has a condition of a type, whatever its status. */
export const hasCondition = ({ status }: CertificateSigningRequest, type: string): boolean =>
  status?.conditions?.some((condition) => condition.type === type) === true;

/** Whether a certificate has been issued. */
export const isIssued = ({ status }: CertificateSigningRequest): boolean => (status?.certificate ?? '') !== '';

/** Whether a request is approved and waits for its signer. */
export function waitsForSigner(request: CertificateSigningRequest): boolean {
  const hasFailed = request.status?.conditions?.some(({ type, status }) => type === 'Failed' && status !== 'False');
  const isApproved = hasCondition(request, 'Approved') && !hasCondition(request, 'Denied');
  return isApproved && hasFailed !== true && !isIssued(request);
}

/** Whether a request waits for somebody who approves or denies it. */
export const waitsForApproval = (request: CertificateSigningRequest): boolean =>
  !isIssued(request) && !hasCondition(request, 'Approved') && !hasCondition(request, 'Denied');

/** The PEM text of the PKCS #10 request. */
export const requestText = ({ spec }: CertificateSigningRequest): string =>
  Buffer.from(spec?.request ?? '', 'base64').toString('latin1');
