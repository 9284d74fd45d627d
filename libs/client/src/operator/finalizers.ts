import { isStatusError, type KubeObject } from '@apichain/meta';
import type { ResourceReference, RestClient } from '../rest-client.ts';
import { retryOnConflict } from '../write-status.ts';

/** Whether an object has a finalizer. */
export const containsFinalizer = ({ metadata }: KubeObject, finalizer: string): boolean =>
  metadata.finalizers?.includes(finalizer) === true;

/** Adds a finalizer, if the object does not have it. Returns the object as stored. Throws the error of the request, after five conflicts too. */
export function ensureFinalizer<Kind extends KubeObject>(
  client: RestClient,
  resource: ResourceReference<Kind>,
  object: Kind,
  finalizer: string,
): Promise<Kind> {
  return retryOnConflict(client, resource, object, async (current) =>
    containsFinalizer(current, finalizer)
      ? current
      : setFinalizers(client, resource, current, [...(current.metadata.finalizers ?? []), finalizer]),
  );
}

/**
 * Removes a finalizer, if the object has it. An object that is being deleted and has no other is gone after that. Throws the error of the request, after five
 * conflicts too; that the object is gone is none.
 */
export async function removeFinalizer<Kind extends KubeObject>(
  client: RestClient,
  resource: ResourceReference<Kind>,
  object: Kind,
  finalizer: string,
): Promise<void> {
  try {
    await retryOnConflict(client, resource, object, async (current) => {
      const { finalizers = [] } = current.metadata;
      const others = finalizers.filter((one) => one !== finalizer);
      if (others.length < finalizers.length) await setFinalizers(client, resource, current, others);
    });
  } catch (error) {
    if (!isStatusError(error, 'NotFound')) throw error;
  }
}

/** The resourceVersion makes a conflict of what others change at the same time: a merge patch replaces the whole list. */
function setFinalizers<Kind extends KubeObject>(
  client: RestClient,
  resource: ResourceReference<Kind>,
  { metadata: { namespace = '', name = '', uid, resourceVersion } }: KubeObject,
  finalizers: readonly string[],
): Promise<Kind> {
  const patch = { metadata: { uid, resourceVersion, finalizers } };
  return client.patch<Kind>({ ...resource, namespace }, name, 'merge', patch);
}
