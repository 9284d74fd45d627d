import type { VersionConverter } from '@apichain/custom-resources';
import type { CustomResourceDefinition } from '@apichain/schema';

/** Leaves every object in the version in which it is stored, for servers that reach no webhook. */
export const asStored: VersionConverter = {
  convert: (objects) => Promise.resolve([...objects]),
};

/**
 * A definition as it can be served without its conversion webhook: in the storage version alone, even if its cluster does not serve it. So clients that
 * discover versions find the one in which the objects are. A definition without a webhook is returned as it is.
 */
export function servedAsStored(crd: CustomResourceDefinition): CustomResourceDefinition {
  if (crd.spec.conversion?.strategy !== 'Webhook') return crd;
  const versions = crd.spec.versions.map((version) => ({ ...version, served: version.storage === true }));
  return { ...crd, spec: { ...crd.spec, versions } };
}
