import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '@apichain/admission';
import { newForbidden } from '@apichain/meta';
import { isConditionTrue } from '@apichain/schema';
import type { CrdCache } from './crd/crd-cache.ts';

/** Refuses new instances of a CRD that is being deleted. */
export class TerminatingCrds implements AdmissionPlugin {
  readonly name = 'TerminatingCustomResourceDefinitions';
  readonly handles: ReadonlySet<AdmissionOperation> = new Set(['CREATE']);
  readonly #cache: CrdCache;

  constructor(cache: CrdCache) {
    this.#cache = cache;
  }

  admit({ resource, name, object }: AdmissionAttributes): void {
    const crd = this.#cache.get(`${resource.resource}.${resource.group}`);
    if (crd === undefined || (!crd.metadata.deletionTimestamp && !isConditionTrue(crd, 'Terminating'))) return;
    throw newForbidden(
      resource,
      object?.metadata.name ?? name,
      'create not allowed while custom resource definition is terminating',
    );
  }
}
