import type { Node, Pod } from '@apichain/api/core/v1';
import { parseQuantity, StatusError, type Quantity } from '@apichain/meta';
import { forbidden } from '../forbidden.ts';
import type { ObjectLookup } from '../object-lookup.ts';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../plugin.ts';
import { podAmounts } from '../pod-resources.ts';
import { readResourceList, sum } from '../resource-list.ts';
import { nodeOfChangedPod, requireNode } from './bound-pod.ts';

const osLabel = 'kubernetes.io/os';
const zero = parseQuantity('0');
/** The units that the messages use. */
const counted: readonly (readonly [string, (amount: Quantity) => bigint])[] = [
  ['cpu', (amount) => amount.milliValue()],
  ['memory', (amount) => amount.value()],
];

/** The resources that the pod requests beyond what its node can allocate, as text; empty when the pod fits. */
function shortages(pod: Pod, node: Node): string[] {
  const spec = pod.spec ?? {};
  const requests = sum(podAmounts(spec, 'requests'), readResourceList(spec.overhead));
  const allocatable = readResourceList(node.status?.allocatable);
  return counted.flatMap(([name, count]) => {
    const requested = requests.get(name) ?? zero;
    const there = allocatable.get(name) ?? zero;
    if (requested.compare(there) <= 0) return [];
    return [`${name}, requested: ${count(requested)}, allocatable: ${count(there)}`];
  });
}

function refused(attributes: AdmissionAttributes, cause: string, reason: string): StatusError {
  const { status } = forbidden(attributes, cause);
  return new StatusError({ ...status, details: { ...status.details, causes: [{ reason }] } });
}

/**
 * A running pod can be resized only on Linux, and only within the allocatable resources of its node.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#podresizevalidator
 */
export class PodResizeValidator implements AdmissionPlugin {
  readonly name = 'PodResizeValidator';
  readonly handles: ReadonlySet<AdmissionOperation> = new Set(['UPDATE']);
  readonly #lookup: ObjectLookup;

  constructor(lookup: ObjectLookup) {
    this.#lookup = lookup;
  }

  validate(attributes: AdmissionAttributes): Promise<void> | void {
    const { subresource, object } = attributes;
    if (subresource !== 'resize' || object === undefined) return;
    const node = nodeOfChangedPod(attributes);
    return node === '' ? undefined : this.#check(attributes, object, node);
  }

  async #check(attributes: AdmissionAttributes, pod: Pod, nodeName: string): Promise<void> {
    const node = await requireNode(this.#lookup, attributes, nodeName);
    const os = node.metadata.labels?.[osLabel] ?? 'linux';
    if (os !== 'linux') {
      const what = 'pod resize is only supported on linux nodes';
      throw refused(
        attributes,
        `${what}, node ${JSON.stringify(nodeName)} is ${JSON.stringify(os)}`,
        'UnsupportedPlatform',
      );
    }
    const short = shortages(pod, node);
    if (short.length === 0) return;
    throw refused(attributes, `node didn't have enough allocatable resources: ${short.join('; ')}`, 'NodeCapacity');
  }
}
