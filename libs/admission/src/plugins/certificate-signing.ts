import type { Authorizer } from '@apichain/authz';
import { deepEqual } from '@apichain/meta';
import { goQuote } from '@apichain/go-text';
import { forbidden } from '../forbidden.ts';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../plugin.ts';
import { isSigningRequest, maySign } from './certificate-signers.ts';

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
