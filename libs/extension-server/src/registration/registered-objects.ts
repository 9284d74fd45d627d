import type { RestClient, ResourceReference } from '@apichain/client';
import { isStatusError, isDNS1035Label, type KubeObject } from '@apichain/meta';
import { callError, RegistrationError } from './registration-error.ts';

/**
 * The objects of a kind, in one or all namespaces, that were registered for the server: none if the API server does not serve the kind. Throws
 * RegistrationError.
 */
export async function registeredObjects(
  client: RestClient,
  server: string,
  kind: string,
  namespace?: string,
): Promise<KubeObject[]> {
  const resource = registeredKinds[kind];
  if (resource === undefined) throw new RangeError(`registrations make no objects of kind ${kind}`);
  try {
    const { items, apiVersion } = await client.list(namespace === undefined ? resource : { ...resource, namespace }, {
      labelSelector: registrationSelector(server),
    });
    // The items of a list have no kind of their own.
    return items.map((item) => ({ ...item, apiVersion, kind }));
  } catch (error) {
    if (isStatusError(error) && error.code === 404) return [];
    throw callError(`cannot list ${resource.resource}`, error);
  }
}

/** Deletes this object, but not a newer one of the same name. The word says what happened. Throws RegistrationError. */
export async function deleteObject(client: RestClient, object: KubeObject): Promise<string> {
  const { name = '', uid } = object.metadata;
  try {
    await client.delete(resourceOf(object), name, { preconditions: { uid } });
    return 'deleted';
  } catch (error) {
    if (isStatusError(error) && error.code === 404) return 'already deleted';
    throw callError(`cannot delete ${describeObject(object)}`, error);
  }
}

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

/** The field manager of everything that is registered. */
export const fieldManager = 'apichain-register';

const managedByLabel = 'app.kubernetes.io/managed-by';
const nameLabel = 'app.kubernetes.io/name';

/** The labels of what is registered for a server. They decide what later registrations may change and what `unregister` deletes. */
export const registrationLabels = (server: string): Record<string, string> => ({
  [managedByLabel]: fieldManager,
  [nameLabel]: server,
});

/** A label selector for everything that is registered for a server. */
const registrationSelector = (server: string): string =>
  Object.entries(registrationLabels(server))
    .map((label) => label.join('='))
    .join(',');

/** Whether the object was registered for the server. */
export function isRegisteredFor(server: string, { metadata }: KubeObject): boolean {
  return Object.entries(registrationLabels(server)).every(([label, value]) => metadata.labels?.[label] === value);
}

/** Checks the name of a server, which becomes the name of a Service. Throws RegistrationError. */
export function checkServerName(server: string): void {
  const [reason] = isDNS1035Label(server);
  if (reason !== undefined) throw new RegistrationError(`the server's name "${server}": ${reason}`);
}
