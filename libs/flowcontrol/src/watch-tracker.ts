import type { RequestInfo } from '@apichain/request';

const keyOf = (group: string, resource: string, namespace: string, name: string): string =>
  `${group}/${resource}/${namespace}/${name}`;

/** Counts the watches that this server serves, so that the cost of a write includes sending its event to watchers. */
export class WatchTracker {
  readonly #counts = new Map<string, number>();

  /** Returns a function that ends the registration. */
  register({ apiGroup, resource, namespace, name }: RequestInfo): () => void {
    const key = keyOf(apiGroup, resource, namespace, name);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    return () => {
      const left = (this.#counts.get(key) ?? 1) - 1;
      if (left === 0) this.#counts.delete(key);
      else this.#counts.set(key, left);
    };
  }

  /** The watches of all objects of the resource, of those in the namespace, and of the object itself. */
  interested({ apiGroup, resource, namespace, name }: RequestInfo): number {
    if (this.#counts.size === 0) return 0;
    let count = this.#counts.get(keyOf(apiGroup, resource, '', '')) ?? 0;
    if (namespace !== '') count += this.#counts.get(keyOf(apiGroup, resource, namespace, '')) ?? 0;
    if (name !== '') count += this.#counts.get(keyOf(apiGroup, resource, namespace, name)) ?? 0;
    return count;
  }
}
