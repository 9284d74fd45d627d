import { parseQuantity, quantityFromJson, type KubeObject, type Quantity } from '@apichain/meta';
import { forbidden } from '../forbidden.ts';
import { lookedUp, type ObjectLookup } from '../object-lookup.ts';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../plugin.ts';
import { isSet, record, text } from '../fields.ts';

const zero = parseQuantity('0');

function requestedStorage(claim: KubeObject): Quantity {
  const { storage } = record(record(record(claim.spec).resources).requests);
  return isSet(storage) ? quantityFromJson(storage) : zero;
}

/** The annotation of old wins over the field. */
export const storageClassOf = (claim: KubeObject): string =>
  claim.metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? text(record(claim.spec).storageClassName);

/**
 * A claim grows only where its storage class says that it can.
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
    const { resource, subresource, object, oldObject } = attributes;
    if (resource.group !== '' || resource.resource !== 'persistentvolumeclaims' || subresource !== '') return;
    if (object === undefined || oldObject === undefined) return;
    if (requestedStorage(object).compare(requestedStorage(oldObject)) <= 0) return;
    if (record(oldObject.status).phase !== 'Bound') {
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
