import { lookedUp, type ObjectLookup } from '../object-lookup.ts';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../plugin.ts';
import { ensureRecord, isSet } from '../fields.ts';
import { defaultClass } from './default-class.ts';

/**
 * An ingress that names no class gets the default one.
 * https://kubernetes.io/docs/concepts/services-networking/ingress/#default-ingress-class
 */
export class DefaultIngressClass implements AdmissionPlugin {
  readonly name = 'DefaultIngressClass';
  readonly handles: ReadonlySet<AdmissionOperation> = new Set(['CREATE']);
  readonly #lookup: ObjectLookup;

  constructor(lookup: ObjectLookup) {
    this.#lookup = lookup;
  }

  async admit({ resource, subresource, object }: AdmissionAttributes): Promise<void> {
    if (resource.group !== 'networking.k8s.io' || resource.resource !== 'ingresses' || subresource !== '') return;
    if (object === undefined) return;
    const spec = ensureRecord(object, 'spec');
    if (isSet(spec.ingressClassName) || object.metadata.annotations?.['kubernetes.io/ingress.class'] !== undefined) {
      return;
    }
    const classes = await this.#lookup.list(lookedUp.ingressClasses, '');
    const found = defaultClass(classes, ['ingressclass.kubernetes.io/is-default-class']);
    if (found !== undefined) spec.ingressClassName = found.metadata.name;
  }
}
