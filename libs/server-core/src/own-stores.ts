import type { BuiltinApi } from '@apichain/kinds-registry';
import type { ResourceStores, Storage } from '@apichain/storage';

/** The stores of the resources of this server. `api` is called for every lookup. Undefined = the resource is not served. */
export const ownStores =
  (api: () => BuiltinApi): ResourceStores<Storage> =>
  ({ group, resource }) => {
    const defined = api().resource(group, resource);
    return defined === undefined ? undefined : { storage: defined.storage, prefix: defined.store.layout.prefix };
  };
