import { newNotFound } from '@apichain/meta';
import { lookedUp, type ObjectLookup } from '../object-lookup.ts';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../plugin.ts';

export const needsNamespace = ({ namespace, kind }: AdmissionAttributes): boolean =>
  namespace !== '' && !(kind.group === '' && kind.kind === 'Namespace');

/** Whether the namespace exists, in the cache or else in the store. */
export const namespaceExists = async (lookup: ObjectLookup, namespace: string): Promise<boolean> =>
  (await lookup.get(lookedUp.namespaces, '', namespace)) !== undefined ||
  (await lookup.live(lookedUp.namespaces, '', namespace)) !== undefined;

/** Rejects every write in a namespace that does not exist. Superseded by NamespaceLifecycle. */
export class NamespaceExists implements AdmissionPlugin {
  readonly name = 'NamespaceExists';
  readonly handles: ReadonlySet<AdmissionOperation> = new Set(['CREATE', 'UPDATE', 'DELETE']);
  readonly #lookup: ObjectLookup;

  constructor(lookup: ObjectLookup) {
    this.#lookup = lookup;
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    const { namespace } = attributes;
    if (!needsNamespace(attributes) || (await namespaceExists(this.#lookup, namespace))) return;
    throw newNotFound(lookedUp.namespaces, namespace);
  }
}
