import type { Authorizer } from '@apichain/authz';
import { goQuote } from '@apichain/go-text';
import { forbidden } from '../forbidden.ts';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../plugin.ts';
import { isSigningRequest, maySign } from './certificate-signers.ts';

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
