import { isStatusError } from '@apichain/meta';
import type { ObjectLookup } from '../object-lookup.ts';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../plugin.ts';
import { namespaceExists, needsNamespace } from './namespace-exists.ts';

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
