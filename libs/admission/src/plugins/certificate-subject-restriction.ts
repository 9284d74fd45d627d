import { requestedOrganizations } from '@apichain/authn';
import { errorMessage } from '@apichain/meta';
import { forbidden } from '../forbidden.ts';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../plugin.ts';
import { isSigningRequest } from './certificate-signers.ts';

const clientSigner = 'kubernetes.io/kube-apiserver-client';
const mastersGroup = 'system:masters';

/**
 * Rejects requests for a client certificate of the group `system:masters`.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#certificatesubjectrestriction
 */
export class CertificateSubjectRestriction implements AdmissionPlugin {
  readonly name = 'CertificateSubjectRestriction';
  readonly handles: ReadonlySet<AdmissionOperation> = new Set(['CREATE']);

  validate(attributes: AdmissionAttributes): void {
    if (!isSigningRequest(attributes) || attributes.subresource !== '') return;
    const { object } = attributes;
    const { signerName, request } = object?.spec ?? {};
    if (signerName !== clientSigner) return;
    let groups: string[];
    try {
      groups = requestedOrganizations(Buffer.from(request ?? '', 'base64').toString('latin1'));
    } catch (error) {
      throw forbidden(attributes, `failed to parse CSR: ${errorMessage(error)}`);
    }
    if (!groups.includes(mastersGroup)) return;
    throw forbidden(attributes, `use of ${clientSigner} signer with ${mastersGroup} group is not allowed`);
  }
}
