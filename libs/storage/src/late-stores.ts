import type { ResourceStore, ResourceStores } from './followed-objects.ts';

/** Provides stores to components that are created before the stores are opened. */
export class LateStores {
  #stores: ResourceStores | undefined;

  bind(stores: ResourceStores): void {
    this.#stores = stores;
  }

  /** Throws Error before `bind`. */
  readonly open: ResourceStores = (resource): ResourceStore | undefined => {
    if (this.#stores === undefined) throw new Error(`the store of ${resource.resource} is not open yet`);
    return this.#stores(resource);
  };
}
