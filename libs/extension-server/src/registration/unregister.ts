import type { RestClient } from '@apichain/client';
import {
  checkServerName,
  deleteObject,
  registeredObjects,
  describeObject,
  registeredKinds,
} from './registered-objects.ts';
import type { Report } from './register.ts';

/** The options of `unregister`. */
interface UnregisterOptions {
  /** A client of the core API. */
  readonly client: RestClient;
  readonly server: string;
  readonly report: Report;
}

/**
 * Deletes everything that was registered for a server, found by its labels. Objects of others remain. Throws RegistrationError when the API
 * server refuses something or does not respond.
 */
export async function unregister({ client, server, report }: UnregisterOptions): Promise<void> {
  checkServerName(server);
  let found = 0;
  for (const kind of Object.keys(registeredKinds))
    for (const object of await registeredObjects(client, server, kind)) {
      report(`${describeObject(object)}: ${await deleteObject(client, object)}`);
      found++;
    }
  if (found === 0) report(`nothing is registered for "${server}"`);
}
