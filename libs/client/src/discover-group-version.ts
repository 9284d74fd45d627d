import { isStatusError, type GroupVersion } from '@apichain/meta';
import { mappingsOfResourceList, type RestMapping } from '@apichain/rest-mapper';
import type { RestClient } from './rest-client.ts';

/**
 * The resources of a group-version in a server's discovery; empty when the server does not serve it. Throws StatusError, or the transport's error
 * when there was no response.
 */
export async function discoverGroupVersion(
  client: RestClient,
  { group, version }: GroupVersion,
): Promise<readonly RestMapping[]> {
  const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  try {
    return mappingsOfResourceList(await client.request('GET', path));
  } catch (error) {
    if (isStatusError(error) && error.code === 404) return [];
    throw error;
  }
}
