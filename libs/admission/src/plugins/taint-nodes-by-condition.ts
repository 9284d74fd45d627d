import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../plugin.ts';
import { ensureRecord, records } from '../fields.ts';

const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' } as const;

/**
 * A new node takes no pods until it is known to be ready.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#taintnodesbycondition
 */
export class TaintNodesByCondition implements AdmissionPlugin {
  readonly name = 'TaintNodesByCondition';
  readonly handles: ReadonlySet<AdmissionOperation> = new Set(['CREATE']);

  admit({ resource, subresource, object }: AdmissionAttributes): void {
    if (resource.group !== '' || resource.resource !== 'nodes' || subresource !== '' || object === undefined) return;
    const spec = ensureRecord(object, 'spec');
    const taints = records(spec.taints);
    if (taints.some(({ key, effect }) => key === notReady.key && effect === notReady.effect)) return;
    spec.taints = [...taints, { ...notReady }];
  }
}
