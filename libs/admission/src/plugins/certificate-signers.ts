import type { CertificateSigningRequest } from '@apichain/api/certificates/v1';
import { isAbout, type AdmissionAttributes } from '../plugin.ts';
import type { Authorizer } from '@apichain/authz';
import type { UserInfo } from '@apichain/authn';

/**
 * Whether a user has permission for `verb` on a signer, by its name or for its whole domain (`example.com/*`).
 * https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/#authorization
 */
export async function maySign(
  authorizer: Authorizer,
  user: UserInfo,
  verb: 'approve' | 'sign' | 'attest',
  signerName: string,
): Promise<boolean> {
  const isAllowed = async (name: string) => {
    const { decision } = await authorizer.authorize({
      user,
      verb,
      isResourceRequest: true,
      path: '',
      apiGroup: 'certificates.k8s.io',
      apiVersion: '*',
      resource: 'signers',
      subresource: '',
      namespace: '',
      name,
      fieldSelector: '',
      labelSelector: '',
    });
    return decision === 'Allow';
  };
  const [domain = ''] = signerName.split('/');
  return (await isAllowed(signerName)) || isAllowed(`${domain}/*`);
}

export const isSigningRequest = (
  attributes: AdmissionAttributes,
): attributes is AdmissionAttributes<CertificateSigningRequest> =>
  isAbout(attributes, 'certificatesigningrequests.certificates.k8s.io');
