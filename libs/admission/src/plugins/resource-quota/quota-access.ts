import { type KubeObject, newConflict, newNotFound, optimisticLockMessage, ensureRecord } from '@apichain/meta';
import { lookedUp, type ObjectLookup } from '../../object-lookup.ts';
import { writeResourceList } from '../../resource-list.ts';
import { readQuota, type Quota } from './quota.ts';
import { KeyNotFoundError, type ResourceStore, type Storage } from '@apichain/storage';

/**
 * Writes `status.used` of the quota if its resourceVersion is unchanged, and returns the
 * written object. Throws Conflict when the resourceVersion differs.
 */
export type QuotaStatusWriter = (
  namespace: string,
  name: string,
  resourceVersion: string,
  used: Readonly<Record<string, string>>,
) => Promise<KubeObject>;

const maxRemembered = 100;

/** Reads the quotas of a namespace: from the cache, or as last written here if that is newer. */
export class QuotaAccess {
  readonly #lookup: ObjectLookup;
  readonly #write: QuotaStatusWriter;
  readonly #written = new Map<string, Quota>();

  constructor(lookup: ObjectLookup, write: QuotaStatusWriter) {
    this.#lookup = lookup;
    this.#write = write;
  }

  async quotas(namespace: string): Promise<Quota[]> {
    return (await this.#lookup.list(lookedUp.resourceQuotas, namespace)).map((object) =>
      this.#newer(readQuota(object)),
    );
  }

  /** Throws what the writer throws. */
  async write(quota: Quota): Promise<void> {
    const { namespace, name, resourceVersion, used } = quota;
    const written = await this.#write(namespace, name, resourceVersion, writeResourceList(used));
    const [oldest] = this.#written.keys();
    if (oldest !== undefined && this.#written.size >= maxRemembered) this.#written.delete(oldest);
    this.#written.set(`${namespace}/${name}`, readQuota(written));
  }

  #newer(quota: Quota): Quota {
    const key = `${quota.namespace}/${quota.name}`;
    const written = this.#written.get(key);
    if (written === undefined) return quota;
    if (Number(written.resourceVersion) > Number(quota.resourceVersion)) return written;
    this.#written.delete(key);
    return quota;
  }
}

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
