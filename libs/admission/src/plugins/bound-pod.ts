import type { KubeObject } from '@apichain/meta';
import { record, text } from '../fields.ts';
import { forbidden } from '../forbidden.ts';
import { lookedUp, type ObjectLookup } from '../object-lookup.ts';
import type { AdmissionAttributes } from '../plugin.ts';

/** The node of a pod whose spec an update changes; '' when there is nothing to check: no such update, or no node yet. */
export function nodeOfChangedPod({ resource, object, oldObject }: AdmissionAttributes): string {
  if (resource.group !== '' || resource.resource !== 'pods' || object === undefined || oldObject === undefined)
    return '';
  // The generation grows with every change of the spec, and with nothing else.
  return object.metadata.generation === oldObject.metadata.generation ? '' : text(record(object.spec).nodeName);
}

/** The node, asked for once more in the store itself when it may just have been made. Throws Forbidden when there is none. */
export async function requireNode(
  lookup: ObjectLookup,
  attributes: AdmissionAttributes,
  name: string,
): Promise<KubeObject> {
  const node = (await lookup.get(lookedUp.nodes, '', name)) ?? (await lookup.live(lookedUp.nodes, '', name));
  if (node === undefined) throw forbidden(attributes, `node ${JSON.stringify(name)} not found`);
  return node;
}
