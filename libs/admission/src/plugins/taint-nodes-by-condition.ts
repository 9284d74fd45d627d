import { isAbout, type AdmissionAttributes, type AdmissionOperation, type AdmissionPlugin } from '../plugin.ts';

const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' } as const;

/**
 * Adds the NotReady taint to a new node, so that no pods are scheduled until the node is ready.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#taintnodesbycondition
 */
export class TaintNodesByCondition implements AdmissionPlugin {
  readonly name = 'TaintNodesByCondition';
  readonly handles: ReadonlySet<AdmissionOperation> = new Set(['CREATE']);

  admit(attributes: AdmissionAttributes): void {
    if (!isAbout(attributes, 'nodes') || attributes.subresource !== '' || attributes.object === undefined) return;
    const { object } = attributes;
    const spec = (object.spec ??= {});
    const taints = spec.taints ?? [];
    if (taints.some(({ key, effect }) => key === notReady.key && effect === notReady.effect)) return;
    spec.taints = [...taints, { ...notReady }];
  }
}
