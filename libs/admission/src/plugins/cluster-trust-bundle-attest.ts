import type { Authorizer } from '@apichain/authz';
import { deepEqual, type KubeObject } from '@apichain/meta';
import { goQuote } from '@apichain/go-text';
import { forbidden } from '../forbidden.ts';
import { isAbout, type AdmissionAttributes, type AdmissionOperation, type AdmissionPlugin } from '../plugin.ts';
import { maySign } from './certificate-signers.ts';

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
