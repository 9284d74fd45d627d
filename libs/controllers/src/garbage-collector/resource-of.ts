import type { ResourceReference } from '@apichain/client';
import { parseGroupVersion } from '@apichain/meta';
import type { RestMapper, RestMapping } from '@apichain/rest-mapper';
import type { Identity } from './identity.ts';

/** The resource that serves a kind. Throws NoKindMatchError when the kind is not served; it may be served later. */
export function resourceOf(
  mapper: RestMapper,
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
): RestMapping {
  const { group, version } = parseGroupVersion(apiVersion);
  return mapper.mappingFor({ group, kind }, version);
}

/** The resource and namespace of an object. Throws NoKindMatchError. */
export function refOf(mapper: RestMapper, identity: Identity): ResourceReference {
  const resource = resourceOf(mapper, identity);
  return resource.scope === 'Namespaced' ? { ...resource, namespace: identity.namespace } : resource;
}
