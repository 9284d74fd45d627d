import { isSet } from '@apichain/meta';
import { lookedUp, type ObjectLookup } from '../object-lookup.ts';
import { isAbout, type AdmissionAttributes, type AdmissionOperation, type AdmissionPlugin } from '../plugin.ts';
import { defaultClass } from './default-class.ts';

const marks = ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class'];

/**
 * Sets the default storage class on a claim that names no storage class.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#defaultstorageclass
 */
export class DefaultStorageClass implements AdmissionPlugin {
  readonly name = 'DefaultStorageClass';
  readonly handles: ReadonlySet<AdmissionOperation> = new Set(['CREATE']);
  readonly #lookup: ObjectLookup;

  constructor(lookup: ObjectLookup) {
    this.#lookup = lookup;
  }

  async admit(attributes: AdmissionAttributes): Promise<void> {
    if (!isAbout(attributes, 'persistentvolumeclaims') || attributes.subresource !== '') return;
    const { object } = attributes;
    if (object === undefined) return;
    const spec = (object.spec ??= {});
    const annotated = object.metadata.annotations?.['volume.beta.kubernetes.io/storage-class'];
    // An empty name is a value too: it means no storage class.
    if (annotated !== undefined || isSet(spec.storageClassName)) return;
    const found = defaultClass(await this.#lookup.list(lookedUp.storageClasses, ''), marks);
    if (found !== undefined) spec.storageClassName = found.metadata.name;
  }
}
