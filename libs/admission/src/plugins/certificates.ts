import type { CertificateSigningRequest } from '@apichain/api/certificates/v1';
import { isAbout, type AdmissionAttributes, type AdmissionOperation, type AdmissionPlugin } from '../plugin.ts';
import { resourceAttributes, type Authorizer } from '@apichain/authz';
import { type UserInfo, requestedOrganizations } from '@apichain/authn';
import { goQuote } from '@apichain/go-text';
import { forbidden } from '../forbidden.ts';
import { deepEqual, errorMessage, type KubeObject } from '@apichain/meta';

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
    const signer = { apiGroup: 'certificates.k8s.io', apiVersion: '*', resource: 'signers', name };
    const { decision } = await authorizer.authorize(resourceAttributes({ user, verb, ...signer }));
    return decision === 'Allow';
  };
  const [domain = ''] = signerName.split('/');
  return (await isAllowed(signerName)) || isAllowed(`${domain}/*`);
}

export const isSigningRequest = (
  attributes: AdmissionAttributes,
): attributes is AdmissionAttributes<CertificateSigningRequest> =>
  isAbout(attributes, 'certificatesigningrequests.certificates.k8s.io');

/** Only users who are allowed to `approve` for a signer can approve its certificate signing requests. */
export class CertificateApproval implements AdmissionPlugin {
  readonly name = 'CertificateApproval';
  readonly handles: ReadonlySet<AdmissionOperation> = new Set(['UPDATE']);
  readonly #authorizer: Authorizer;

  constructor(authorizer: Authorizer) {
    this.#authorizer = authorizer;
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    if (!isSigningRequest(attributes) || attributes.subresource !== 'approval') return;
    const { oldObject, user } = attributes;
    const signerName = oldObject?.spec?.signerName ?? '';
    if (await maySign(this.#authorizer, user, 'approve', signerName)) return;
    throw forbidden(attributes, `user not permitted to approve requests with signerName ${goQuote(signerName)}`);
  }
}

/** Only users who are allowed to `sign` for a signer can set the certificate or the conditions in the status of its requests. */
export class CertificateSigning implements AdmissionPlugin {
  readonly name = 'CertificateSigning';
  readonly handles: ReadonlySet<AdmissionOperation> = new Set(['UPDATE']);
  readonly #authorizer: Authorizer;

  constructor(authorizer: Authorizer) {
    this.#authorizer = authorizer;
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    if (!isSigningRequest(attributes) || attributes.subresource !== 'status') return;
    const { object, oldObject, user } = attributes;
    const status = object?.status ?? {};
    const old = oldObject?.status ?? {};
    if (status.certificate === old.certificate && deepEqual(status.conditions, old.conditions)) return;
    const signerName = oldObject?.spec?.signerName ?? '';
    if (await maySign(this.#authorizer, user, 'sign', signerName)) return;
    throw forbidden(attributes, `user not permitted to sign requests with signerName ${goQuote(signerName)}`);
  }
}

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

/** The object without the metadata that the garbage collector writes, and without managedFields. */
function withoutOwners(object: KubeObject | undefined): unknown {
  const { ownerReferences: _o, finalizers: _f, managedFields: _m, ...metadata } = object?.metadata ?? {};
  return { ...object, metadata };
}

/**
 * Only users who are allowed to `attest` for a signer can write its trust bundles. After
 * plugin/pkg/admission/certificates/ctbattest of kubernetes 1.36.
 */
export class ClusterTrustBundleAttest implements AdmissionPlugin {
  readonly name = 'ClusterTrustBundleAttest';
  readonly handles: ReadonlySet<AdmissionOperation> = new Set(['CREATE', 'UPDATE']);
  readonly #authorizer: Authorizer;

  constructor(authorizer: Authorizer) {
    this.#authorizer = authorizer;
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    if (!isAbout(attributes, 'clustertrustbundles.certificates.k8s.io')) return;
    const { operation, object, oldObject, user } = attributes;
    const signerName = object?.spec?.signerName ?? '';
    if (signerName === '') return;
    if (operation === 'UPDATE' && deepEqual(withoutOwners(object), withoutOwners(oldObject))) return;
    if (await maySign(this.#authorizer, user, 'attest', signerName)) return;
    throw forbidden(attributes, `user not permitted to attest for signerName ${goQuote(signerName)}`);
  }
}
