import type { RestClient } from '@apichain/client';
import { goQuote } from '@apichain/go-text';
import { errorMessage, isStatusError, isValidPathSegmentName, type KubeObject } from '@apichain/meta';
import { AuthenticationUnavailableError } from '../unavailable.ts';

/**
 * Reads the objects that a token refers to. Rejects with NotFound when an object does not exist, with AuthenticationUnavailableError when this
 * cannot be determined.
 */
export interface TokenObjects {
  get(resource: 'serviceaccounts' | 'secrets' | 'pods' | 'nodes', namespace: string, name: string): Promise<KubeObject>;
}

/** The same, for callers that record the use of Secrets on them. */
export interface TokenSecrets extends TokenObjects {
  /** Sets labels on the Secret, unless another object has replaced it meanwhile. */
  labelSecret(secret: KubeObject, labels: Readonly<Record<string, string>>): Promise<void>;
}

/** What is used of a RestClient. */
interface Client {
  get(...args: Parameters<RestClient['get']>): Promise<KubeObject>;
  patch(...args: Parameters<RestClient['patch']>): Promise<KubeObject>;
}

/** Reads the objects from the server that a client is connected to. Nothing can be read before `start`. */
export class ClientTokenObjects implements TokenSecrets {
  #client: Client | undefined;

  start(client: Client): void {
    this.#client = client;
  }

  /**
   * While the store is unavailable, objects come from the watch cache. kube-apiserver does the same, because its informers hold these objects. A
   * 401 would tell clients that their tokens are not valid.
   */
  async get(resource: string, namespace: string, name: string): Promise<KubeObject> {
    const client = this.#client;
    if (client === undefined) throw new AuthenticationUnavailableError('the server is still starting');
    const ref = { group: '', version: 'v1', resource, ...(namespace === '' ? {} : { namespace }) };
    return lookUp(resource, name, (query) => client.get(ref, name, query));
  }

  async labelSecret({ metadata }: KubeObject, labels: Readonly<Record<string, string>>): Promise<void> {
    const { namespace = '', name = '', uid } = metadata;
    const ref = { group: '', version: 'v1', resource: 'secrets', namespace };
    await this.#client?.patch(ref, name, 'merge', { metadata: { uid, labels } });
  }
}

/**
 * Reads an object, and falls back to the watch cache when the store is unavailable. Only the store can tell that an object does not exist, because
 * a cache may not be filled yet. Rejects with AuthenticationUnavailableError,  when neither has the object.
 */
export async function lookUp(
  resource: string,
  name: string,
  read: (query?: { readonly resourceVersion: '0' }) => Promise<KubeObject>,
): Promise<KubeObject> {
  checkName(name);
  try {
    return await read();
  } catch (error) {
    if (isVerdict(error)) throw error;
  }
  try {
    return await read({ resourceVersion: '0' });
  } catch (error) {
    const reason = errorMessage(error);
    throw new AuthenticationUnavailableError(`${resource} ${name} cannot be looked up: ${reason}`, { cause: error });
  }
}

/** A request without a name, or with more than a name, would be for something else than an object. */
function checkName(name: string): void {
  if (name === '') throw new Error('resource name may not be empty');
  const problems = isValidPathSegmentName(name);
  if (problems.length > 0) throw new Error(`invalid resource name ${goQuote(name)}: [${problems.join(', ')}]`);
}

/** Whether the failure is about the object, rather than about reaching it. */
const isVerdict = (error: unknown): boolean => isStatusError(error) && error.code < 500 && error.code !== 429;
