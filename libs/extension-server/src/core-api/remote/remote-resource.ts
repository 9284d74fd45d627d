import { listInPages, type RestClient } from '@apichain/client';
import { builtinMapper, convertToHub, storageVersion } from '@apichain/kinds/model';
import {
  errorMessage,
  HistoryLostError,
  isStatusError,
  isUnexpectedServerError,
  record,
  sleep,
  type GroupResource,
  type GroupVersion,
  type KubeObject,
} from '@apichain/meta';
import type { RestMapping } from '@apichain/rest-mapper';

/** The objects of a list, in the storage version, and its resourceVersion; 0 = the core API does not serve the resource. */
interface RemoteList {
  readonly objects: readonly KubeObject[];
  readonly revision: number;
}

/** A change, in the storage version; or a bookmark, whose object has only a resourceVersion. */
interface RemoteEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: KubeObject;
}

/** One object instead of all of the resource. */
export interface Only {
  readonly namespace: string;
  readonly name: string;
}

const requestTimeoutMs = 30_000;
/** A watch ends after five to ten minutes. If the server is silent for this long beyond that, the connection is dead. */
const watchSeconds = 300;
const graceMs = 30_000;
/** How long after the core API did not serve a resource it is asked again. */
const unservedMs = 60_000;

/**
 * A built-in resource in the core API, in whichever version that server has. Objects are converted to the storage version of this release, which
 * is what readers of stores expect. Methods throw StatusError, or the transport's error.
 */
export class RemoteResource {
  readonly namespaced: boolean;
  readonly #client: RestClient;
  readonly #versions: readonly RestMapping[];
  readonly #hub: GroupVersion;
  readonly #only: Only | undefined;
  /** The version that answered last. */
  #served: RestMapping | undefined;

  /** Throws Error when there is no such built-in resource. */
  constructor(client: RestClient, resource: GroupResource, only?: Only) {
    this.#client = client;
    this.#versions = builtinMapper.everyVersionOf(resource);
    this.#hub = storageVersion(resource.group, resource.resource);
    this.namespaced = this.#versions[0]?.scope === 'Namespaced';
    this.#only = only;
  }

  /** Undefined = there is no such object, or the resource is not served. */
  async get(namespace: string, name: string): Promise<KubeObject | undefined> {
    const isMissing = (error: unknown) => isStatusError(error) && error.code === 404;
    try {
      return await this.#inServedVersion(async (version) => {
        const reference = referenceTo(version, namespace);
        return this.#stored(await this.#client.get(reference, name, undefined, { signal: timeout() }));
      });
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /** Every object; `namespace` '' = of all namespaces. Reads what was written before the call. */
  async list(namespace: string, signal?: AbortSignal): Promise<RemoteList> {
    const list = await this.#inServedVersion(async (version) => {
      const reference = referenceTo(version, this.#only?.namespace ?? namespace);
      const { objects, resourceVersion } = await listInPages((query, onSize) =>
        this.#client.list(reference, { ...this.#selector(), ...query }, { signal: timeout(signal), onSize }),
      );
      return { objects: objects.map((object) => this.#stored(object)), revision: Number(resourceVersion) };
    });
    return list ?? { objects: [], revision: 0 };
  }

  /**
   * Changes after `resourceVersion`, until the server ends the watch, or sends nothing any more. Throws HistoryLostError when the objects must be listed
   * again.
   */
  async *watch(namespace: string, resourceVersion: string, signal: AbortSignal): AsyncGenerator<RemoteEvent> {
    const version = this.#served;
    if (version === undefined) {
      await sleep(unservedMs, signal, { ref: false });
      throw new HistoryLostError('the resource was not served');
    }
    const timeoutSeconds = Math.round(watchSeconds * (1 + Math.random()));
    const silence = AbortSignal.timeout(timeoutSeconds * 1_000 + graceMs);
    const query = { ...this.#selector(), resourceVersion, allowWatchBookmarks: true, timeoutSeconds };
    const reference = referenceTo(version, this.#only?.namespace ?? namespace);
    try {
      for await (const { type, object } of this.#client.watch(reference, query, AbortSignal.any([signal, silence]))) {
        if (type === 'ERROR') throw new HistoryLostError(object.message);
        yield { type, object: type === 'BOOKMARK' ? object : this.#stored(object) };
      }
    } catch (error) {
      if (!silence.aborted || signal.aborted) throw error;
    }
  }

  /** The result for the first version that the core API serves; undefined = it serves none. */
  async #inServedVersion<Value>(read: (version: RestMapping) => Promise<Value>): Promise<Value | undefined> {
    const last = this.#served;
    const order = last === undefined ? this.#versions : [last, ...this.#versions.filter((each) => each !== last)];
    for (const version of order) {
      try {
        const value = await read(version);
        this.#served = version;
        return value;
      } catch (error) {
        if (!isUnserved(error)) throw error;
      }
    }
    await this.#checkDiscovery();
    this.#served = undefined;
    return undefined;
  }

  /** Throws Error when the peer is not an API server: a 404 of a load balancer must not empty the copies of policies. */
  async #checkDiscovery(): Promise<void> {
    try {
      const { kind } = record(await this.#client.request('GET', '/apis', undefined, undefined, undefined, timeout()));
      if (kind !== 'APIGroupList') throw new Error(`the answer is of kind ${JSON.stringify(kind)}`);
    } catch (error) {
      throw new Error(`the server does not list its API groups: ${errorMessage(error)}`, { cause: error });
    }
  }

  #selector(): { readonly fieldSelector?: string } {
    return this.#only === undefined ? {} : { fieldSelector: `metadata.name=${this.#only.name}` };
  }

  #stored(object: KubeObject): KubeObject {
    return convertToHub(object, this.#hub);
  }
}

const referenceTo = ({ group, version, resource }: RestMapping, namespace: string) => ({
  group,
  version,
  resource,
  ...(namespace === '' ? {} : { namespace }),
});

const timeout = (signal?: AbortSignal): AbortSignal => {
  const own = AbortSignal.timeout(requestTimeoutMs);
  return signal === undefined ? own : AbortSignal.any([signal, own]);
};

/** A 404 about an object is a Status with its name. */
const isUnserved = (error: unknown): boolean =>
  isStatusError(error) &&
  error.code === 404 &&
  (isUnexpectedServerError(error) || (error.status.details?.name ?? '') === '');
