import type { ResourceReference, RestClient } from '@apichain/client';
import { type KubeObject, isStatusError } from '@apichain/meta';

/**
 * Replaces the status of an object as the informer shows it. If the object has changed in the meantime, the status is written once more over its newest
 * state. Returns the object as stored. Throws the error of the last attempt.
 */
export async function writeStatus<Kind extends KubeObject & { status?: unknown }>(
  client: RestClient,
  resource: ResourceReference<Kind>,
  object: Kind,
  status: Kind['status'],
): Promise<Kind> {
  const { namespace = '', name = '', uid } = object.metadata;
  const ref = { ...resource, namespace };
  const write = (base: Kind) => client.update<Kind>(ref, { ...base, status }, { subresource: 'status' });
  try {
    return await write(object);
  } catch (error) {
    if (!isStatusError(error, 'Conflict')) throw error;
    const live = await client.get<Kind>(ref, name);
    if (live.metadata.uid !== uid) throw error;
    return write(live);
  }
}

/** The members of a status, without those that are 0 and that Kubernetes omits then. */
export function withoutZeros<Status extends object>(status: Status): Status {
  return Object.fromEntries(Object.entries(status).filter(([, value]) => value !== undefined && value !== 0)) as Status;
}
