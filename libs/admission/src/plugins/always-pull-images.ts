import { field } from '@apichain/meta';
import { aggregate, forbidden } from '../forbidden.ts';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../plugin.ts';
import { record, records, type Plain } from '../fields.ts';
import { allContainersOf, isPod, podSpec } from '../pod-fields.ts';

const containerLists = ['initContainers', 'containers', 'ephemeralContainers'];

/** An update that brings no new image needs no new pull. */
function bringsNoImage({ operation, object, oldObject }: AdmissionAttributes): boolean {
  if (operation !== 'UPDATE' || oldObject === undefined) return false;
  const images = (spec: Plain) => new Set(allContainersOf(spec).map(({ image }) => image));
  const known = images(podSpec(oldObject));
  return [...images(podSpec(object))].every((image) => known.has(image));
}

/**
 * Images are pulled anew with the pod's own rights, so that nobody uses what others have pulled.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#alwayspullimages
 */
export class AlwaysPullImages implements AdmissionPlugin {
  readonly name = 'AlwaysPullImages';
  readonly handles: ReadonlySet<AdmissionOperation> = new Set(['CREATE', 'UPDATE']);

  admit(attributes: AdmissionAttributes): void {
    if (!isPod(attributes) || bringsNoImage(attributes)) return;
    const spec = podSpec(attributes.object);
    for (const container of allContainersOf(spec)) container.imagePullPolicy = 'Always';
    for (const { image } of records(spec.volumes)) if (image !== undefined) setAlways(record(image));
  }

  validate(attributes: AdmissionAttributes): void {
    if (!isPod(attributes) || bringsNoImage(attributes)) return;
    const spec = podSpec(attributes.object);
    const errors = containerLists.flatMap((name) =>
      records(spec[name]).flatMap(({ imagePullPolicy }, i) =>
        imagePullPolicy === 'Always'
          ? []
          : [field.notSupported(`spec.${name}[${i}].imagePullPolicy`, imagePullPolicy, ['Always'])],
      ),
    );
    if (errors.length === 0) return;
    throw forbidden(attributes, aggregate(errors.map((error) => `${error.field}: ${error.message}`)));
  }
}

function setAlways(image: Plain): void {
  image.pullPolicy = 'Always';
}
