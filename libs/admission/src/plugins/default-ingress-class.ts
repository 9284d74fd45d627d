import { isSet } from '@apichain/meta';
import { lookedUp, type ObjectLookup } from '../object-lookup.ts';
import { isAbout, type AdmissionAttributes, type AdmissionOperation, type AdmissionPlugin } from '../plugin.ts';
import { defaultClass } from './default-class.ts';

/**
 * Sets the default ingress class on an ingress that names no class.
 * https://kubernetes.io/docs/concepts/services-networking/ingress/#default-ingress-class
 */
export class DefaultIngressClass implements AdmissionPlugin {
  readonly name = 'DefaultIngressClass';
  readonly handles: ReadonlySet<AdmissionOperation> = new Set(['CREATE']);
  readonly #lookup: ObjectLookup;

  constructor(lookup: ObjectLookup) {
    this.#lookup = lookup;
  }

  async admit(attributes: AdmissionAttributes): Promise<void> {
    if (!isAbout(attributes, 'ingresses.networking.k8s.io') || attributes.subresource !== '') return;
    const { object } = attributes;
    if (object === undefined) return;
    const spec = (object.spec ??= {});
    if (isSet(spec.ingressClassName) || object.metadata.annotations?.['kubernetes.io/ingress.class'] !== undefined) {
      return;
    }
    const classes = await this.#lookup.list(lookedUp.ingressClasses, '');
    const found = defaultClass(classes, ['ingressclass.kubernetes.io/is-default-class']);
    if (found !== undefined) spec.ingressClassName = found.metadata.name;
  }
}
