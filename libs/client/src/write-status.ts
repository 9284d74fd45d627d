import { deepClone, deepEqual, type KubeObject, isStatusError } from '@apichain/meta';
import type { ResourceReference, RestClient } from './rest-client.ts';

/** The number of attempts with which client-go repeats a write after conflicts (retry.DefaultRetry). */
const maxAttempts = 5;

/**
 * Runs `write` with an object. After a conflict it is run again with the newest state of the object, as read from the server. Throws the error of the last
 * attempt, also when another object has the name by now.
 */
export async function retryOnConflict<Kind extends KubeObject, Written>(
  client: RestClient,
  resource: ResourceReference<Kind>,
  object: Kind,
  write: (object: Kind) => Promise<Written>,
  attempts = maxAttempts,
): Promise<Written> {
  const { namespace = '', name = '', uid } = object.metadata;
  let current = object;
  for (let attempt = 1; ; attempt++) {
    try {
      return await write(current);
    } catch (error) {
      if (!isStatusError(error, 'Conflict') || attempt >= attempts) throw error;
      current = await client.get<Kind>({ ...resource, namespace }, name);
      if (current.metadata.uid !== uid) throw error;
    }
  }
}

/**
 * Replaces the status of an object as the informer shows it, unless it is that already. If the object has changed in the meantime, the status is
 * written over its newest state; as a function, it is computed from that. Returns the object as stored. Throws the error of the last attempt.
 */
export function writeStatus<Kind extends KubeObject & { status?: unknown }>(
  client: RestClient,
  resource: ResourceReference<Kind>,
  object: Kind,
  status: Kind['status'] | ((object: Kind) => Kind['status']),
): Promise<Kind> {
  return retryOnConflict(client, resource, object, async (base) => {
    const next = typeof status === 'function' ? (status as (object: Kind) => Kind['status'])(deepClone(base)) : status;
    if (deepEqual(next, base.status)) return base;
    const ref = { ...resource, namespace: base.metadata.namespace ?? '' };
    return client.update<Kind>(ref, { ...base, status: next }, { subresource: 'status' });
  });
}
