import { formatGroupVersion } from '@apichain/meta';
import type { ApiResource } from '../discovery.ts';

export class UnknownKindError extends Error {
  constructor(apiVersion: string, kind: string) {
    super(`unable to get REST mapping for ${apiVersion}/${kind}.`);
  }
}

/** Finds the resource of a kind in what was discovered last. */
export class KindMap {
  #resources = new Map<string, ApiResource>();

  replace(resources: readonly ApiResource[]): void {
    this.#resources = new Map(resources.map((each) => [`${formatGroupVersion(each)}|${each.kind}`, each]));
  }

  /** Keeps what is known beside. */
  add(resources: readonly ApiResource[]): void {
    for (const each of resources) this.#resources.set(`${formatGroupVersion(each)}|${each.kind}`, each);
  }

  /** Throws UnknownKindError: the kind may be served later. */
  get({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): ApiResource {
    const resource = this.#resources.get(`${apiVersion}|${kind}`);
    if (resource === undefined) throw new UnknownKindError(apiVersion, kind);
    return resource;
  }
}
