import { type KubeObject, isSet } from '@apichain/meta';
import { lookedUp, type ObjectLookup } from '../object-lookup.ts';
import { isAbout, type AdmissionAttributes, type AdmissionOperation, type AdmissionPlugin } from '../plugin.ts';

/** The class that an annotation marks as the default. Among several, the newest; at the same age, the first by name. */
export function defaultClass(classes: readonly KubeObject[], annotations: readonly string[]): KubeObject | undefined {
  const isDefault = ({ metadata }: KubeObject) =>
    annotations.some((annotation) => metadata.annotations?.[annotation] === 'true');
  const created = ({ metadata }: KubeObject) => metadata.creationTimestamp ?? '';
  return classes.filter(isDefault).toSorted((a, b) => {
    if (created(a) !== created(b)) return created(a) > created(b) ? -1 : 1;
    return (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1;
  })[0];
}

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
