import type { ResourceStore, ResourceStores } from './followed-objects.ts';

/** Stores that are opened after those were made who will ask for them. */
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
