import type { RestClient } from '@apichain/client';
import { isStatusError, type KubeObject, newInternalError } from '@apichain/meta';

/** The objects that a token speaks of. Rejects with NotFound when there is none. */
export interface TokenObjects {
  get(resource: 'serviceaccounts' | 'secrets' | 'pods' | 'nodes', namespace: string, name: string): Promise<KubeObject>;
}

/** The same where the use of Secrets is noted on them. */
export interface TokenSecrets extends TokenObjects {
  /** Puts labels on the Secret, as long as it is still this one. */
  labelSecret(secret: KubeObject, labels: Readonly<Record<string, string>>): Promise<void>;
}

type Client = Pick<RestClient, 'get' | 'patch'>;

/** Reads them from the server that a client reaches; there is none before `start`. */
export class ClientTokenObjects implements TokenSecrets {
  #client: Client | undefined;

  start(client: Client): void {
    this.#client = client;
  }

  /**
   * While the store is away, what the watch cache has: whoever was known stays known, as kube-apiserver, whose informers have these
   * objects, keeps knowing them; a 401 would tell clients that their tokens are no good.
   */
  async get(resource: string, namespace: string, name: string): Promise<KubeObject> {
    const client = this.#client;
    if (client === undefined) throw newInternalError('the server is still starting');
    const ref = { group: '', version: 'v1', resource, ...(namespace === '' ? {} : { namespace }) };
    try {
      return await client.get(ref, name);
    } catch (error) {
      if (!isStatusError(error) || error.code < 500) throw error;
      return client.get(ref, name, { resourceVersion: '0' });
    }
  }

  async labelSecret({ metadata }: KubeObject, labels: Readonly<Record<string, string>>): Promise<void> {
    const { namespace = '', name = '', uid } = metadata;
    const ref = { group: '', version: 'v1', resource: 'secrets', namespace };
    await this.#client?.patch(ref, name, 'merge', { metadata: { uid, labels } });
  }
}
