import type { RestClient } from '@apichain/client';
import { formatGroupVersion } from '@apichain/meta';
import type { RestMapping } from '@apichain/rest-mapper';

export interface ApiResource extends RestMapping {
  readonly verbs: readonly string[];
}

/** What the whole chain serves at one moment. */
export interface Discovered {
  /** Each resource in every version. */
  readonly resources: readonly ApiResource[];
  /** Each resource once: in its group's first version that has it. */
  readonly preferred: readonly ApiResource[];
  /** Group-versions whose server could not be asked. */
  readonly stale: readonly string[];
}

interface AggregatedGroups {
  readonly kind?: string;
  readonly items?: readonly {
    readonly metadata?: { readonly name?: string };
    readonly versions?: readonly {
      readonly version: string;
      readonly freshness?: string;
      readonly resources?: readonly {
        readonly resource: string;
        readonly singularResource?: string;
        readonly responseKind?: { readonly kind?: string };
        readonly scope?: string;
        readonly verbs?: readonly string[];
      }[];
    }[];
  }[];
}

const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/**
 * Asks for everything that is served, in two requests. Throws StatusError, or Error from a server without aggregated discovery.
 * Source: https://kubernetes.io/docs/concepts/overview/kubernetes-api/#aggregated-discovery
 */
export async function discover(client: RestClient): Promise<Discovered> {
  const answers = await Promise.all(['/api', '/apis'].map((path) => client.read(path, accept)));
  const resources: ApiResource[] = [];
  const stale: string[] = [];
  for (const answer of answers as AggregatedGroups[]) {
    if (answer.kind !== 'APIGroupDiscoveryList') throw new Error('the server has no aggregated discovery (v2)');
    for (const { metadata, versions } of answer.items ?? [])
      for (const { version, freshness, resources: served } of versions ?? []) {
        const group = metadata?.name ?? '';
        if (freshness === 'Stale') stale.push(formatGroupVersion({ group, version }));
        for (const { resource, singularResource, responseKind, scope, verbs } of served ?? [])
          resources.push({
            group,
            version,
            resource,
            singular: singularResource ?? '',
            kind: responseKind?.kind ?? '',
            scope: scope === 'Namespaced' ? 'Namespaced' : 'Cluster',
            verbs: verbs ?? [],
          });
      }
  }
  return { resources, preferred: firstVersions(resources), stale };
}

function firstVersions(resources: readonly ApiResource[]): ApiResource[] {
  const seen = new Set<string>();
  return resources.filter(({ group, resource }) => {
    const key = `${group}/${resource}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** Shares one answer among all who ask for it before the question is sent. */
export class Discovery {
  readonly #client: RestClient;
  #running: Promise<unknown> = Promise.resolve();
  #next: Promise<Discovered> | undefined;

  constructor(client: RestClient) {
    this.#client = client;
  }

  /** What is served at some moment after the call. Throws as `discover` does. */
  fresh(): Promise<Discovered> {
    this.#next ??= this.#ask();
    return this.#next;
  }

  async #ask(): Promise<Discovered> {
    await this.#running;
    this.#next = undefined;
    const answer = discover(this.#client);
    this.#running = answer.catch(() => undefined);
    return answer;
  }
}
