import type { RestClient } from '@apichain/client';
import { builtinMapper, storagePath } from '@apichain/kinds/model';
import { isStatusError } from '@apichain/meta';
import type { ResourceStore, ResourceStores } from '@apichain/storage';
import type { RepeatedErrors } from '../repeated-errors.ts';
import { RemoteResource, type Only } from './remote-resource.ts';
import { RemoteStorage } from './remote-storage.ts';

interface RemoteStoresOptions {
  readonly client: RestClient;
  readonly errors: RepeatedErrors;
  /** Ends all copies. */
  readonly signal: AbortSignal;
}

/**
 * The stores of the built-in resources of the core API, for a server that reads them with a client. Each is made on first use; undefined = there
 * is no such built-in resource. The counterpart of `builtinStores`.
 */
export function remoteStores(options: RemoteStoresOptions): ResourceStores {
  const opened = new Map<string, ResourceStore>();
  return (resource) => {
    const key = `${resource.resource}.${resource.group}`;
    const present = opened.get(key);
    if (present !== undefined) return present;
    if (builtinMapper.versionsOf(resource).length === 0) return undefined;
    const made = remoteStore(options, resource);
    opened.set(key, made);
    return made;
  };
}

/** The store of one built-in resource; with `only`, of one of its objects. */
export function remoteStore(
  { client, errors, signal }: RemoteStoresOptions,
  resource: { readonly group: string; readonly resource: string },
  only?: Only,
): ResourceStore {
  const prefix = storagePath(resource.resource);
  const name = resource.resource;
  const storage = new RemoteStorage({
    resource: new RemoteResource(client, resource, only),
    prefix,
    name,
    onError: (error) => reportFailure(errors, name, error),
    signal,
  });
  return { storage, prefix };
}

/** Logs why a resource of the core API cannot be followed. Without an answer, the reason is the same for all resources. */
function reportFailure(errors: RepeatedErrors, what: string, error: unknown): void {
  const isForbidden = isStatusError(error) && error.code === 403;
  const advice = isForbidden ? '; its user needs the verbs get, list and watch' : ', trying again';
  errors.report(`this server cannot follow ${isStatusError(error) ? what : 'objects'} of the core API${advice}`, error);
}
