import { newConflict, newNotFound, optimisticLockMessage, ensureRecord } from '@apichain/meta';
import { KeyNotFoundError, type ResourceStore, type Storage } from '@apichain/storage';
import { lookedUp } from './object-lookup.ts';
import type { QuotaStatusWriter } from './plugins/resource-quota/quota-access.ts';

/** Writes the status of quotas to the store directly, for a server that does not serve them. Does not track managedFields. */
export function storageQuotaWriter(open: () => ResourceStore<Storage> | undefined): QuotaStatusWriter {
  return async (namespace, name, resourceVersion, used) => {
    const store = open();
    if (store === undefined) throw newNotFound(lookedUp.resourceQuotas, name);
    try {
      const written = await store.storage.guaranteedUpdate(`${store.prefix}/${namespace}/${name}`, {
        ignoreNotFound: false,
        tryUpdate(current) {
          if (current === undefined || String(current.revision) !== resourceVersion) {
            throw newConflict(lookedUp.resourceQuotas, name, optimisticLockMessage);
          }
          const object = current.parse();
          ensureRecord(object, 'status').used = { ...used };
          return { object };
        },
      });
      return written.parse();
    } catch (error) {
      throw error instanceof KeyNotFoundError ? newNotFound(lookedUp.resourceQuotas, name) : error;
    }
  };
}
