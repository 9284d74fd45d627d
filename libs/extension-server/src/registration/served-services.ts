import type { RestClient } from '@apichain/client';
import { record, records } from '@apichain/meta';
import { callError } from './registration-error.ts';

/**
 * Whether the core API serves Service objects. A minimal one does not (`apichain up --apis=minimal`). Throws RegistrationError.
 */
export async function servesServices(client: RestClient): Promise<boolean> {
  try {
    const { resources } = record(await client.request('GET', '/api/v1'));
    return records(resources).some(({ name }) => name === 'services');
  } catch (error) {
    throw callError('cannot find out whether the API server serves Services', error);
  }
}
