import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../plugin.ts';
import { containersOf, initContainersOf, isPod } from '../pod-fields.ts';
import { addOrUpdateToleration } from '../tolerations.ts';

const isExtended = (name: string) =>
  name.includes('/') && !name.includes('kubernetes.io/') && !name.startsWith('requests.');

/**
 * Adds a toleration for the dedicated nodes of each extended resource that a pod requests.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#extendedresourcetoleration
 */
export class ExtendedResourceToleration implements AdmissionPlugin {
  readonly name = 'ExtendedResourceToleration';
  readonly handles: ReadonlySet<AdmissionOperation> = new Set(['CREATE', 'UPDATE']);

  admit(attributes: AdmissionAttributes): void {
    if (!isPod(attributes) || attributes.object === undefined) return;
    const { object } = attributes;
    const spec = (object.spec ??= {});
    const wanted = [...containersOf(spec), ...initContainersOf(spec)].flatMap(({ resources }) =>
      Object.keys(resources?.requests ?? {}).filter(isExtended),
    );
    for (const key of [...new Set(wanted)].toSorted()) {
      const toleration = { key, operator: 'Exists', effect: 'NoSchedule' };
      spec.tolerations = addOrUpdateToleration(spec.tolerations ?? [], toleration);
    }
  }
}
