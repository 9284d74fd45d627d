import type { PersistentVolumeClaim } from '@apichain/api/core/v1';
import { parseQuantity, quantityFromJson, type Quantity, isSet } from '@apichain/meta';
import { forbidden } from '../forbidden.ts';
import { lookedUp, type ObjectLookup } from '../object-lookup.ts';
import { isAbout, type AdmissionAttributes, type AdmissionOperation, type AdmissionPlugin } from '../plugin.ts';

const zero = parseQuantity('0');

function requestedStorage(claim: PersistentVolumeClaim): Quantity {
  const { storage } = claim.spec?.resources?.requests ?? {};
  return isSet(storage) ? quantityFromJson(storage) : zero;
}

/** The legacy annotation takes precedence over the field. */
export const storageClassOf = (claim: PersistentVolumeClaim): string =>
  claim.metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? claim.spec?.storageClassName ?? '';

/**
 * Rejects the expansion of a claim whose storage class does not allow it.
 * https://kubernetes.io/docs/concepts/storage/persistent-volumes/#expanding-persistent-volumes-claims
 */
export class PersistentVolumeClaimResize implements AdmissionPlugin {
  readonly name = 'PersistentVolumeClaimResize';
  readonly handles: ReadonlySet<AdmissionOperation> = new Set(['UPDATE']);
  readonly #lookup: ObjectLookup;

  constructor(lookup: ObjectLookup) {
    this.#lookup = lookup;
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    if (!isAbout(attributes, 'persistentvolumeclaims') || attributes.subresource !== '') return;
    const { object, oldObject } = attributes;
    if (object === undefined || oldObject === undefined) return;
    if (requestedStorage(object).compare(requestedStorage(oldObject)) <= 0) return;
    if (oldObject.status?.phase !== 'Bound') {
      throw forbidden(attributes, 'Only bound persistent volume claims can be expanded');
    }
    if (await this.#allowsExpansion(storageClassOf(object), storageClassOf(oldObject))) return;
    throw forbidden(
      attributes,
      'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
    );
  }

  async #allowsExpansion(name: string, oldName: string): Promise<boolean> {
    if (name === '' || name !== oldName) return false;
    const found = await this.#lookup.get(lookedUp.storageClasses, '', name);
    return found?.allowVolumeExpansion === true;
  }
}
