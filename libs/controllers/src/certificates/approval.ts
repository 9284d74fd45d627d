import type { CertificateSigningRequest } from '@apichain/api/certificates/v1';
import type { RequestedCertificate } from '@apichain/serving/certificates';
import { kubeletClientProblem, kubeletClientSigner } from './signers.ts';

/** A permission that lets a request be approved without a person: the right to create this subresource of CertificateSigningRequests. */
export interface AutoApproval {
  readonly subresource: 'selfnodeclient' | 'nodeclient';
  /** The message of the condition. */
  readonly message: string;
}

const forOwnNode: AutoApproval = {
  subresource: 'selfnodeclient',
  message: 'Auto approving self kubelet client certificate after SubjectAccessReview.',
};
const forAnyNode: AutoApproval = {
  subresource: 'nodeclient',
  message: 'Auto approving kubelet client certificate after SubjectAccessReview.',
};

/** The permissions any of which lets a request be approved: none unless it asks for the client certificate of a kubelet. */
export function possibleApprovals(
  { spec }: CertificateSigningRequest,
  requested: RequestedCertificate,
): AutoApproval[] {
  const isOfKubelet =
    spec?.signerName === kubeletClientSigner && kubeletClientProblem(requested, spec.usages ?? []) === undefined;
  if (!isOfKubelet) return [];
  return spec.username === requested.commonName ? [forOwnNode, forAnyNode] : [forAnyNode];
}
