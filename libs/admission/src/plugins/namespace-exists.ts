import { newNotFound } from '@apichain/meta';
import { lookedUp, type ObjectLookup } from '../object-lookup.ts';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../plugin.ts';

export const needsNamespace = ({ namespace, kind }: AdmissionAttributes): boolean =>
  namespace !== '' && !(kind.group === '' && kind.kind === 'Namespace');

/** Whether there is such a namespace, by the cache or else by the store. */
export const namespaceExists = async (lookup: ObjectLookup, namespace: string): Promise<boolean> =>
  (await lookup.get(lookedUp.namespaces, '', namespace)) !== undefined ||
  (await lookup.live(lookedUp.namespaces, '', namespace)) !== undefined;

/** Refuses every write to a namespace that does not exist. NamespaceLifecycle has taken its place. */
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
