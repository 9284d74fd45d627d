import type { ImageVolumeSource, PodSpec, Pod } from '@apichain/api/core/v1';
import { aggregateMessage, field } from '@apichain/meta';
import { forbidden } from '../forbidden.ts';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../plugin.ts';
import { allContainersOf, isPod, podSpec } from '../pod-fields.ts';

const containerLists = ['initContainers', 'containers', 'ephemeralContainers'] as const;

/** An update that adds no image needs no image pull. */
function bringsNoImage({ operation, object, oldObject }: AdmissionAttributes<Pod>): boolean {
  if (operation !== 'UPDATE' || oldObject === undefined) return false;
  const images = (spec: PodSpec) => new Set(allContainersOf(spec).map(({ image }) => image));
  const known = images(podSpec(oldObject));
  return [...images(podSpec(object))].every((image) => known.has(image));
}

/**
 * Forces an image pull with the pod's own credentials, so that a pod cannot use a private image that another pod has pulled.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#alwayspullimages
 */
export class AlwaysPullImages implements AdmissionPlugin {
  readonly name = 'AlwaysPullImages';
  readonly handles: ReadonlySet<AdmissionOperation> = new Set(['CREATE', 'UPDATE']);

  admit(attributes: AdmissionAttributes): void {
    if (!isPod(attributes) || bringsNoImage(attributes)) return;
    const spec = podSpec(attributes.object);
    for (const container of allContainersOf(spec)) container.imagePullPolicy = 'Always';
    for (const { image } of spec.volumes ?? []) if (image !== undefined) setAlways(image ?? {});
  }

  validate(attributes: AdmissionAttributes): void {
    if (!isPod(attributes) || bringsNoImage(attributes)) return;
    const spec = podSpec(attributes.object);
    const errors = containerLists.flatMap((name) =>
      (spec[name] ?? []).flatMap(({ imagePullPolicy }, i) =>
        imagePullPolicy === 'Always'
          ? []
          : [field.notSupported(`spec.${name}[${i}].imagePullPolicy`, imagePullPolicy, ['Always'])],
      ),
    );
    if (errors.length === 0) return;
    throw forbidden(attributes, aggregateMessage(errors.map((error) => `${error.field}: ${error.message}`)));
  }
}

function setAlways(image: ImageVolumeSource): void {
  image.pullPolicy = 'Always';
}
