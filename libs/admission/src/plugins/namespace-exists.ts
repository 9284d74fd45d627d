import { newNotFound, isStatusError } from '@apichain/meta';
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

/** Creates a namespace. Throws AlreadyExists. */
export type NamespaceCreator = (name: string) => Promise<void>;

/**
 * Creates the namespace of an object that is created, if it does not exist.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#namespaceautoprovision
 */
export class NamespaceAutoProvision implements AdmissionPlugin {
  readonly name = 'NamespaceAutoProvision';
  readonly handles: ReadonlySet<AdmissionOperation> = new Set(['CREATE']);
  readonly #lookup: ObjectLookup;
  readonly #create: NamespaceCreator;

  constructor(lookup: ObjectLookup, create: NamespaceCreator) {
    this.#lookup = lookup;
    this.#create = create;
  }

  async admit(attributes: AdmissionAttributes): Promise<void> {
    const { namespace, dryRun } = attributes;
    if (dryRun || !needsNamespace(attributes) || (await namespaceExists(this.#lookup, namespace))) return;
    try {
      await this.#create(namespace);
    } catch (error) {
      if (!isStatusError(error, 'AlreadyExists')) throw error;
    }
  }
}
