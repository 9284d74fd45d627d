import type { RestClient } from '@apichain/client';
import { type KubeObject, newInternalError } from '@apichain/meta';

/** The objects that a token speaks of. Rejects with NotFound when there is none. */
export interface TokenObjects {
  get(resource: 'serviceaccounts' | 'secrets' | 'pods' | 'nodes', namespace: string, name: string): Promise<KubeObject>;
}

/** The same where the use of Secrets is noted on them. */
export interface TokenSecrets extends TokenObjects {
  /** Puts labels on the Secret, as long as it is still this one. */
  labelSecret(secret: KubeObject, labels: Readonly<Record<string, string>>): Promise<void>;
}

/** Reads them from the server that a client reaches; there is none before `start`. */
export class ClientTokenObjects implements TokenSecrets {
  #client: RestClient | undefined;

  start(client: RestClient): void {
    this.#client = client;
  }

  async get(resource: string, namespace: string, name: string): Promise<KubeObject> {
    if (this.#client === undefined) throw newInternalError('the server is still starting');
    const ref = { group: '', version: 'v1', resource };
    return this.#client.get(namespace === '' ? ref : { ...ref, namespace }, name);
  }

  async labelSecret({ metadata }: KubeObject, labels: Readonly<Record<string, string>>): Promise<void> {
    const { namespace = '', name = '', uid } = metadata;
    const ref = { group: '', version: 'v1', resource: 'secrets', namespace };
    await this.#client?.patch(ref, name, 'merge', { metadata: { uid, labels } });
  }
}
