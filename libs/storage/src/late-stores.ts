import type { ResourceStore, ResourceStores } from './followed-objects.ts';
import type { Storage } from './storage.ts';

/** Provides stores to components that are created before the stores are opened. */
export class LateStores {
  #stores: ResourceStores<Storage> | undefined;

  bind(stores: ResourceStores<Storage>): void {
    this.#stores = stores;
  }

  /** Throws Error before `bind`. */
  readonly open: ResourceStores<Storage> = (resource): ResourceStore<Storage> | undefined => {
    if (this.#stores === undefined) throw new Error(`the store of ${resource.resource} is not open yet`);
    return this.#stores(resource);
  };
}
