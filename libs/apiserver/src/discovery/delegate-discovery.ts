import { parseJson } from '@apichain/meta';
import type { DelegationTarget } from '@apichain/delegation';
import type { ApiGroupDiscovery } from './types.ts';

const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

interface Known {
  readonly etag: string;
  readonly groups: readonly ApiGroupDiscovery[];
}

/** The groups of the next server. Every use sends a request, but the document is only parsed again when its ETag has changed. */
export class DelegateDiscovery {
  readonly #target: DelegationTarget;
  readonly #known = new Map<string, Known>();
  readonly #underWay = new Map<string, Promise<Known>>();

  constructor(target: DelegationTarget) {
    this.#target = target;
  }

  /** `path` is `/api` or `/apis`. Rejects when the next server cannot be reached or does not speak aggregated discovery. */
  async groups(path: '/api' | '/apis'): Promise<Known> {
    let fetching = this.#underWay.get(path);
    if (fetching === undefined) {
      fetching = this.#fetch(path).finally(() => this.#underWay.delete(path));
      this.#underWay.set(path, fetching);
    }
    return fetching;
  }

  async #fetch(path: string): Promise<Known> {
    const before = this.#known.get(path);
    const response = await this.#target.fetch(path, {
      accept,
      ...(before === undefined ? {} : { 'if-none-match': before.etag }),
    });
    if (response.status === 304 && before !== undefined) return before;
    if (response.status === 404) return { etag: '', groups: [] };
    if (response.status !== 200) throw new Error(`discovery of the next server failed with code ${response.status}`);
    const known = { etag: response.headers['etag'] ?? '', groups: groupsIn(parseJson(response.body)) };
    this.#known.set(path, known);
    return known;
  }
}

/** The items of an APIGroupDiscoveryList. Throws Error for any other document. */
function groupsIn(document: unknown): readonly ApiGroupDiscovery[] {
  if (typeof document !== 'object' || document === null || !('kind' in document))
    throw new Error('not a discovery document');
  if (document.kind !== 'APIGroupDiscoveryList')
    throw new Error(`not an APIGroupDiscoveryList: ${String(document.kind)}`);
  const items: unknown = 'items' in document ? document.items : [];
  return Array.isArray(items) ? items.filter(isGroupDiscovery) : [];
}

function isGroupDiscovery(item: unknown): item is ApiGroupDiscovery {
  return (
    typeof item === 'object' &&
    item !== null &&
    'metadata' in item &&
    'versions' in item &&
    Array.isArray(item.versions)
  );
}
