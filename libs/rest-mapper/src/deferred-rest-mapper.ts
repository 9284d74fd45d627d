import type { GroupVersion, GroupVersionKind } from '@apichain/meta';
import { RestMapper, type RestMapping } from './rest-mapper.ts';

/** Discovers the resources of a group-version; empty if the server does not serve it. Throws if the discovery request fails. */
type DiscoverGroupVersion = (groupVersion: GroupVersion) => Promise<readonly RestMapping[]>;

interface DeferredRestMapperOptions {
  readonly discover: DiscoverGroupVersion;
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number;
}

/** How long discovered resources are cached, in milliseconds, as in kube-apiserver's admission. */
const maxAgeMs = 30_000;

/**
 * Maps kinds to resources by the discovery of a running server. A group-version is discovered when one of its kinds is first requested.
 * Found kinds are cached. Missing kinds are requested again every time, because a CRD may have been created in the meantime.
 * Source: k8s.io/client-go/restmapper DeferredDiscoveryRESTMapper, which kube-apiserver's admission resets every 30 s.
 */
export class DeferredRestMapper {
  readonly #mapper = new RestMapper();
  readonly #discover: DiscoverGroupVersion;
  readonly #now: () => number;
  #emptiedAt: number;

  constructor({ discover, now = () => performance.now() }: DeferredRestMapperOptions) {
    this.#discover = discover;
    this.#now = now;
    this.#emptiedAt = now();
  }

  /** The resource of a kind; undefined if the server has none. Throws the errors of `discover`. */
  async mappingOf(kind: GroupVersionKind): Promise<RestMapping | undefined> {
    if (this.#now() - this.#emptiedAt >= maxAgeMs) this.reset();
    const known = this.#mapper.getByKind(kind);
    if (known !== undefined) return known;
    for (const mapping of await this.#discover(kind)) this.#mapper.add(mapping);
    return this.#mapper.getByKind(kind);
  }

  /** Clears the cache. To be called after the served resources have changed. */
  reset(): void {
    this.#mapper.replace([]);
    this.#emptiedAt = this.#now();
  }
}
