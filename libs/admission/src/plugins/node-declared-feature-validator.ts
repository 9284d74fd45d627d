import type { Container, PodSpec, Pod } from '@apichain/api/core/v1';
import { deepEqual, quantityFromJson, isSet } from '@apichain/meta';
import { forbidden } from '../forbidden.ts';
import type { ObjectLookup } from '../object-lookup.ts';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../plugin.ts';
import { containersOf, initContainersOf } from '../pod-fields.ts';
import { nodeOfChangedPod, requireNode } from './bound-pod.ts';

interface PodStates {
  readonly old: PodSpec;
  readonly changed: PodSpec;
  readonly qosClass: string | undefined;
}

const cpuOf = (container: Container | undefined) => quantityFromJson(container?.resources?.requests?.cpu ?? '0');

/** Containers are paired by index: updates cannot add, remove or reorder them. */
const pairs = (old: readonly Container[], changed: readonly Container[]) =>
  old.map((container, i) => [container, changed[i]] as const);

/**
 * The features that a node must declare for certain updates, by name, in order. The other features of 1.36 matter only to the scheduler.
 * Source: k8s.io/component-helpers/nodedeclaredfeatures.
 */
const features: readonly (readonly [string, (states: PodStates) => boolean])[] = [
  [
    'GuaranteedQoSPodCPUResize',
    ({ old, changed, qosClass }) =>
      qosClass === 'Guaranteed' &&
      pairs(containersOf(old), containersOf(changed)).some(([a, b]) => cpuOf(a).compare(cpuOf(b)) !== 0),
  ],
  [
    'InPlacePodLevelResourcesVerticalScaling',
    ({ old, changed }) =>
      (isSet(old.resources) || isSet(changed.resources)) &&
      !deepEqual(old.resources ?? null, changed.resources ?? null),
  ],
  [
    'InPlacePodVerticalScalingInitContainers',
    ({ old, changed }) =>
      pairs(initContainersOf(old), initContainersOf(changed)).some(
        ([a, b]) => a.restartPolicy !== 'Always' && !deepEqual(a.resources ?? null, b?.resources ?? null),
      ),
  ],
];

/**
 * Rejects changes of a bound pod that need a feature which its node does not declare.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#nodedeclaredfeaturevalidator
 */
export class NodeDeclaredFeatureValidator implements AdmissionPlugin {
  readonly name = 'NodeDeclaredFeatureValidator';
  readonly handles: ReadonlySet<AdmissionOperation> = new Set(['UPDATE']);
  readonly #lookup: ObjectLookup;

  constructor(lookup: ObjectLookup) {
    this.#lookup = lookup;
  }

  validate(attributes: AdmissionAttributes): Promise<void> | void {
    const { subresource } = attributes;
    if (subresource !== '' && subresource !== 'resize') return;
    const node = nodeOfChangedPod(attributes);
    return node === '' ? undefined : this.#check(attributes, node);
  }

  async #check(attributes: AdmissionAttributes, nodeName: string): Promise<void> {
    const { object, oldObject }: AdmissionAttributes<Pod> = attributes;
    const states = {
      old: oldObject?.spec ?? {},
      changed: object?.spec ?? {},
      qosClass: oldObject?.status?.qosClass,
    };
    const needed = features.filter(([, needs]) => needs(states)).map(([name]) => name);
    if (needed.length === 0) return;
    const node = await requireNode(this.#lookup, attributes, nodeName);
    const declared = new Set(node.status?.declaredFeatures ?? []);
    const missing = needed.filter((name) => !declared.has(name));
    if (missing.length === 0) return;
    const what = `pod update requires features ${missing.join(', ')} which are not available`;
    throw forbidden(attributes, `${what} on node ${JSON.stringify(nodeName)}`);
  }
}
