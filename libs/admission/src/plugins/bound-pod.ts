import type { Node } from '@apichain/api/core/v1';
import { forbidden } from '../forbidden.ts';
import { lookedUp, type ObjectLookup } from '../object-lookup.ts';
import { isAbout, type AdmissionAttributes } from '../plugin.ts';

/** The node of a pod whose spec an update changes; '' when there is nothing to check: no such update, or no node yet. */
export function nodeOfChangedPod(attributes: AdmissionAttributes): string {
  if (!isAbout(attributes, 'pods')) return '';
  const { object, oldObject } = attributes;
  if (object === undefined || oldObject === undefined) return '';
  // The generation grows with every change of the spec, and with nothing else.
  return object.metadata.generation === oldObject.metadata.generation ? '' : (object.spec?.nodeName ?? '');
}

/** The node, asked for once more in the store itself when it may just have been made. Throws Forbidden when there is none. */
export async function requireNode(lookup: ObjectLookup, attributes: AdmissionAttributes, name: string): Promise<Node> {
  const node = (await lookup.get(lookedUp.nodes, '', name)) ?? (await lookup.live(lookedUp.nodes, '', name));
  if (node === undefined) throw forbidden(attributes, `node ${JSON.stringify(name)} not found`);
  return node;
}
