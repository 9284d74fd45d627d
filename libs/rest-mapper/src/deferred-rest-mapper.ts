import type { GroupVersion, GroupVersionKind } from '@apichain/meta';
import { RestMapper, type RestMapping } from './rest-mapper.ts';

/** What a server serves of a group-version: empty when it does not serve it. Throws when the server cannot be asked. */
export type DiscoverGroupVersion = (groupVersion: GroupVersion) => Promise<readonly RestMapping[]>;

export interface DeferredRestMapperOptions {
  readonly discover: DiscoverGroupVersion;
  /** For how many milliseconds an answer of discovery holds. 30,000 when absent, as in kube-apiserver's admission. */
  readonly maxAgeMs?: number;
  /** Milliseconds of a clock that only goes forward. */
  readonly now?: () => number;
}

/**
 * Maps kinds to resources by the discovery of a running server. A group-version is asked for when a kind of it is first wanted. What is
 * found is remembered for a while; what is not found is asked for again every time, because a CRD may have come meanwhile.
 * Source: k8s.io/client-go/restmapper DeferredDiscoveryRESTMapper, which kube-apiserver's admission resets every 30 s.
 */
export class DeferredRestMapper {
  readonly #mapper = new RestMapper();
  readonly #discover: DiscoverGroupVersion;
  readonly #maxAgeMs: number;
  readonly #now: () => number;
  #emptiedAt: number;

  constructor({ discover, maxAgeMs = 30_000, now = () => performance.now() }: DeferredRestMapperOptions) {
    this.#discover = discover;
    this.#maxAgeMs = maxAgeMs;
    this.#now = now;
    this.#emptiedAt = now();
  }

  /** The resource of a kind; undefined when the server has none. Throws what `discover` throws. */
  async mappingOf(kind: GroupVersionKind): Promise<RestMapping | undefined> {
    if (this.#now() - this.#emptiedAt >= this.#maxAgeMs) this.reset();
    const known = this.#mapper.getByKind(kind);
    if (known !== undefined) return known;
    for (const mapping of await this.#discover(kind)) this.#mapper.add(mapping);
    return this.#mapper.getByKind(kind);
  }

  /** Forgets everything, as after a change of what is served. */
  reset(): void {
    this.#mapper.replace([]);
    this.#emptiedAt = this.#now();
  }
}
