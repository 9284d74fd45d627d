import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../plugin.ts';
import { ensureRecord, record, records } from '../fields.ts';
import { containersOf, initContainersOf, isPod } from '../pod-fields.ts';
import { addOrUpdateToleration } from '../tolerations.ts';

const isExtended = (name: string) =>
  name.includes('/') && !name.includes('kubernetes.io/') && !name.startsWith('requests.');

/**
 * A pod that asks for an extended resource tolerates the nodes set aside for it.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#extendedresourcetoleration
 */
export class ExtendedResourceToleration implements AdmissionPlugin {
  readonly name = 'ExtendedResourceToleration';
  readonly handles: ReadonlySet<AdmissionOperation> = new Set(['CREATE', 'UPDATE']);

  admit(attributes: AdmissionAttributes): void {
    const { object } = attributes;
    if (!isPod(attributes) || object === undefined) return;
    const spec = ensureRecord(object, 'spec');
    const wanted = [...containersOf(spec), ...initContainersOf(spec)].flatMap(({ resources }) =>
      Object.keys(record(record(resources).requests)).filter(isExtended),
    );
    for (const key of [...new Set(wanted)].toSorted()) {
      const toleration = { key, operator: 'Exists', effect: 'NoSchedule' };
      spec.tolerations = addOrUpdateToleration(records(spec.tolerations), toleration);
    }
  }
}
