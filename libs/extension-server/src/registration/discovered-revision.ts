import { createHash } from 'node:crypto';
import type { RestClient } from '@apichain/client';
import { formatGroupVersion, isStatusError, type GroupVersion } from '@apichain/meta';

/**
 * A hash of the resources that a server has in its discovery, asked for through the API server. Undefined when the server does not respond, e.g. because it is
 * being registered for the first time. Throws the transport's error when the API server does not respond.
 */
export async function discoveredRevision(
  client: RestClient,
  groupVersions: readonly GroupVersion[],
): Promise<string | undefined> {
  try {
    const paths = groupVersions.map((groupVersion) => `/apis/${formatGroupVersion(groupVersion)}`);
    const lists = await Promise.all(paths.map((path) => client.request('GET', path)));
    return createHash('sha256').update(JSON.stringify(lists)).digest('hex').slice(0, 16);
  } catch (error) {
    if (isStatusError(error)) return undefined;
    throw error;
  }
}
