import type { SubjectAccessReview } from '@apichain/api/authorization/v1';
import type { CertificateSigningRequest } from '@apichain/api/certificates/v1';
import { type ResourceReference, objectKey } from '@apichain/client';
import { errorMessage } from '@apichain/meta';
import type { ControllerContext, Running } from '../context.ts';
import { controllerParts } from '../controller-parts.ts';
import { certificateSigningRequests, waitsForApproval } from './request-state.ts';
import { parsed } from './signing-controller.ts';
import type { RequestedCertificate } from '@apichain/serving/certificates';
import { kubeletClientProblem, kubeletClientSigner } from './signers.ts';

const reviews: ResourceReference<SubjectAccessReview> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  resource: 'subjectaccessreviews',
};

/** Approves requests of kubelets for client certificates, if the one who asks may have them. */
export function certificateApproving(context: ControllerContext): Running {
  const { client } = context;
  const { queue, informer, run } = controllerParts(context, 'certificatesigningrequest-approving-controller');
  const requests = informer(certificateSigningRequests);
  const enqueue = (request: CertificateSigningRequest) => {
    if (waitsForApproval(request)) queue.add(objectKey(request));
  };
  requests.addHandlers({ onAdd: enqueue, onUpdate: enqueue });

  async function reconcile(name: string): Promise<void> {
    const request = requests.get(name);
    if (request === undefined || !waitsForApproval(request)) return;
    const possible = possibleApprovals(request, await parsed(request));
    for (const approval of possible) if (await isAllowed(request, approval)) return approve(request, approval);
    if (possible.length === 0) return;
    const tried = possible.map(({ subresource }) => subresource).join(' ');
    throw new Error(`recognized csr ${JSON.stringify(name)} as [${tried}] but subject access review was not approved`);
  }

  async function isAllowed({ spec = {} }: CertificateSigningRequest, { subresource }: AutoApproval): Promise<boolean> {
    const { username, uid, groups, extra } = spec;
    const { group, resource } = certificateSigningRequests;
    const review = await client.create<SubjectAccessReview>(reviews, {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      metadata: {},
      spec: {
        ...(username !== undefined && { user: username }),
        ...(uid !== undefined && { uid }),
        ...(groups !== undefined && { groups }),
        ...(extra !== undefined && { extra }),
        resourceAttributes: { group, resource, verb: 'create', subresource, version: '*' },
      },
    });
    return review.status?.allowed === true;
  }

  async function approve(request: CertificateSigningRequest, { message }: AutoApproval): Promise<void> {
    const condition = { type: 'Approved', status: 'True', reason: 'AutoApproved', message };
    const conditions = [...(request.status?.conditions ?? []), condition];
    const approved = { ...request, status: { ...request.status, conditions } };
    try {
      await client.update<CertificateSigningRequest>(certificateSigningRequests, approved, { subresource: 'approval' });
    } catch (error) {
      throw new Error(`error updating approval for csr: ${errorMessage(error)}`);
    }
  }

  return run(reconcile);
}

/** A permission that lets a request be approved without a person: the right to create this subresource of CertificateSigningRequests. */
interface AutoApproval {
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
  const isKubeletClient =
    spec?.signerName === kubeletClientSigner && kubeletClientProblem(requested, spec.usages ?? []) === undefined;
  if (!isKubeletClient) return [];
  return spec.username === requested.commonName ? [forOwnNode, forAnyNode] : [forAnyNode];
}
