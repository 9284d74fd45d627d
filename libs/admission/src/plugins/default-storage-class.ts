import { lookedUp, type ObjectLookup } from '../object-lookup.ts';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../plugin.ts';
import { ensureRecord, isSet } from '../fields.ts';
import { defaultClass } from './default-class.ts';

const marks = ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class'];

/**
 * A claim that names no storage class gets the default one.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#defaultstorageclass
 */
export class DefaultStorageClass implements AdmissionPlugin {
  readonly name = 'DefaultStorageClass';
  readonly handles: ReadonlySet<AdmissionOperation> = new Set(['CREATE']);
  readonly #lookup: ObjectLookup;

  constructor(lookup: ObjectLookup) {
    this.#lookup = lookup;
  }

  async admit({ resource, subresource, object }: AdmissionAttributes): Promise<void> {
    if (resource.group !== '' || resource.resource !== 'persistentvolumeclaims' || subresource !== '') return;
    if (object === undefined) return;
    const spec = ensureRecord(object, 'spec');
    const annotated = object.metadata.annotations?.['volume.beta.kubernetes.io/storage-class'];
    // An empty name is a choice too: no class at all.
    if (annotated !== undefined || isSet(spec.storageClassName)) return;
    const found = defaultClass(await this.#lookup.list(lookedUp.storageClasses, ''), marks);
    if (found !== undefined) spec.storageClassName = found.metadata.name;
  }
}
