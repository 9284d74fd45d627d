import type { Binding } from '@apichain/api/core/v1';
import { lookedUp, type ObjectLookup } from '../object-lookup.ts';
import { isPod, podSpec } from '../pod-fields.ts';
import { isAbout, type AdmissionAttributes, type AdmissionOperation, type AdmissionPlugin } from '../plugin.ts';

const copied = ['topology.kubernetes.io/zone', 'topology.kubernetes.io/region'];

/**
 * Copies the zone and region labels of a node to a pod that is created with that node or bound to it.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#podtopologylabels
 */
export class PodTopologyLabels implements AdmissionPlugin {
  readonly name = 'PodTopologyLabels';
  readonly handles: ReadonlySet<AdmissionOperation> = new Set(['CREATE']);
  readonly #lookup: ObjectLookup;

  constructor(lookup: ObjectLookup) {
    this.#lookup = lookup;
  }

  admit(attributes: AdmissionAttributes): Promise<void> | void {
    const node = nodeOf(attributes);
    return node === '' ? undefined : this.#copyLabels(attributes, node);
  }

  async #copyLabels({ object }: AdmissionAttributes, nodeName: string): Promise<void> {
    const labels = (await this.#lookup.get(lookedUp.nodes, '', nodeName))?.metadata.labels ?? {};
    const found = copied.filter((label) => labels[label] !== undefined);
    if (found.length === 0 || object === undefined) return;
    const fromNode = Object.fromEntries(found.map((label) => [label, labels[label] ?? '']));
    object.metadata.labels = { ...fromNode, ...(object.metadata.labels ?? {}) };
  }
}

/** The node that a pod is created with, or bound to. */
function nodeOf(attributes: AdmissionAttributes): string {
  const { subresource, object } = attributes;
  if (object === undefined) return '';
  if (isPod(attributes)) return podSpec(attributes.object).nodeName ?? '';
  if (!isAbout(attributes, 'pods') || subresource !== 'binding') return '';
  const { target }: Binding = object;
  return target?.kind === 'Node' ? (target.name ?? '') : '';
}
