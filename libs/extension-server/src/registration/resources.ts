import type { ResourceReference } from '@apichain/client';
import type { KubeObject } from '@apichain/meta';

const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1' };

/** The kinds of objects that registrations make, in the order of their removal: first what sends requests to the server. */
export const registeredKinds: Readonly<Record<string, ResourceReference>> = {
  APIService: { group: 'apiregistration.k8s.io', version: 'v1', resource: 'apiservices' },
  EndpointSlice: { group: 'discovery.k8s.io', version: 'v1', resource: 'endpointslices' },
  Service: { group: '', version: 'v1', resource: 'services' },
  Secret: { group: '', version: 'v1', resource: 'secrets' },
  RoleBinding: { ...rbac, resource: 'rolebindings' },
  ClusterRoleBinding: { ...rbac, resource: 'clusterrolebindings' },
  ClusterRole: { ...rbac, resource: 'clusterroles' },
};

/** The resource of an object of one of these kinds, with its namespace. Throws RangeError for another kind. */
export function resourceOf({ kind, metadata }: KubeObject): ResourceReference {
  const resource = Object.hasOwn(registeredKinds, kind) ? registeredKinds[kind] : undefined;
  if (resource === undefined) throw new RangeError(`registrations make no objects of kind ${kind}`);
  return metadata.namespace === undefined ? resource : { ...resource, namespace: metadata.namespace };
}

/** An object's kind and name in messages: `Service default/wardle`. */
export function describeObject({ kind, metadata }: KubeObject): string {
  const { namespace, name = '' } = metadata;
  return `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
}
