import type { RestClient } from '@apichain/client';
import { isStatusError, type KubeObject } from '@apichain/meta';
import { registrationSelector } from './labels.ts';
import { callError } from './registration-error.ts';
import { describeObject, registeredKinds, resourceOf } from './resources.ts';

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
