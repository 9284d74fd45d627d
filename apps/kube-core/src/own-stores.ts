import type { BuiltinApi, BuiltinStore } from '@apichain/kinds';
import type { GroupResource } from '@apichain/meta';

/** The stores of what this server serves; `api` is asked every time. Undefined = the resource is not served. */
export const ownStores =
  (api: () => BuiltinApi) =>
  ({ group, resource }: GroupResource): BuiltinStore | undefined => {
    const defined = api().resource(group, resource);
    return defined === undefined ? undefined : { storage: defined.storage, prefix: defined.store.layout.prefix };
  };
