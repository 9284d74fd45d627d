import type { RestClient } from '@apichain/client';
import type { APIGroupDiscoveryList } from '@apichain/api/apidiscovery/v2';
import { mappingsOfGroupDiscovery, RestMapper, type DiscoveredMapping } from '@apichain/rest-mapper';

/** The discovered resources of the whole chain at one point in time. */
interface Discovered {
  /** Each resource in every version that serves it. */
  readonly resources: readonly DiscoveredMapping[];
  /** Each resource once, in the first version of its group that serves it. */
  readonly preferred: readonly DiscoveredMapping[];
  /** Group-versions whose server could not be reached. */
  readonly stale: readonly string[];
}

const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/**
 * Discovers all served resources in two requests. Throws StatusError, or Error when the server does not support aggregated discovery.
 * Source: https://kubernetes.io/docs/concepts/overview/kubernetes-api/#aggregated-discovery
 */
export async function discover(client: RestClient): Promise<Discovered> {
  const documents = await Promise.all(['/api', '/apis'].map((path) => client.read(path, accept)));
  const found = (documents as APIGroupDiscoveryList[]).map((document) => {
    if (document.kind !== 'APIGroupDiscoveryList') throw new Error('the server has no aggregated discovery (v2)');
    return mappingsOfGroupDiscovery(document);
  });
  const resources = found.flatMap(({ mappings }) => mappings);
  const mapper = new RestMapper();
  mapper.replace(resources);
  const preferred = resources.filter((resource) => mapper.isPreferred(resource));
  return { resources, preferred, stale: found.flatMap(({ stale }) => stale) };
}

/** Coalesces discovery requests: all callers that wait before a request is sent share its response. */
export class Discovery {
  readonly #client: RestClient;
  #running: Promise<unknown> = Promise.resolve();
  #next: Promise<Discovered> | undefined;

  constructor(client: RestClient) {
    this.#client = client;
  }

  /** Discovers the served resources with a request that is sent after this call. Throws as `discover` does. */
  fresh(): Promise<Discovered> {
    this.#next ??= this.#ask();
    return this.#next;
  }

  async #ask(): Promise<Discovered> {
    await this.#running;
    this.#next = undefined;
    const discovered = discover(this.#client);
    // The callers of `fresh` receive the error. The next request only waits for the end of this one.
    this.#running = discovered.catch(() => undefined);
    return discovered;
  }
}
