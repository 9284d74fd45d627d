import type { Node } from '@apichain/api/core/v1';
import { forbidden } from '../forbidden.ts';
import { lookedUp, type ObjectLookup } from '../object-lookup.ts';
import { isAbout, type AdmissionAttributes } from '../plugin.ts';

/** The node of a pod whose spec the request changes; '' when there is nothing to check: not such an update, or the pod has no node. */
export function nodeOfChangedPod(attributes: AdmissionAttributes): string {
  if (!isAbout(attributes, 'pods')) return '';
  const { object, oldObject } = attributes;
  if (object === undefined || oldObject === undefined) return '';
  // The generation increases with every change of the spec, and only then.
  return object.metadata.generation === oldObject.metadata.generation ? '' : (object.spec?.nodeName ?? '');
}

/** The node, from the cache or else from the store, since it may have been created just now. Throws Forbidden when it does not exist. */
export async function requireNode(lookup: ObjectLookup, attributes: AdmissionAttributes, name: string): Promise<Node> {
  const node = (await lookup.get(lookedUp.nodes, '', name)) ?? (await lookup.live(lookedUp.nodes, '', name));
  if (node === undefined) throw forbidden(attributes, `node ${JSON.stringify(name)} not found`);
  return node;
}
