import type { Storage, StoredObject } from '@apichain/storage';
import type { ConvertAll } from './conversion.ts';
import { deliverEvents } from './delivered-object.ts';
import { convertForeign, convertForeignList, isInVersion } from './foreign-objects.ts';

/**
 * A store that presents all objects in one version, although they may have been stored in several. Objects that are not in `apiVersion` are
 * converted when they are read. The converted bytes are cached with the object. Reads reject with the error of `convert`.
 */
export function convertingStorage(storage: Storage, apiVersion: string, convert: ConvertAll): Storage {
  const conversion = { apiVersion, shape: `json;hub;${apiVersion}`, convert };
  const all = (items: readonly StoredObject[]) => convertForeign(items, conversion);
  const one = async (item: StoredObject): Promise<StoredObject> => (await all([item]))[0] ?? item;
  const converting: Partial<Storage> = {
    get: async (key, options) => one(await storage.get(key, options)),
    list: async (directory, options) => {
      const list = await storage.list(directory, options);
      return { ...list, items: await convertForeignList(list.items, conversion) };
    },
    watch: async (directory, options) => {
      const stream = await storage.watch(directory, options);
      return {
        next: async () => {
          const batch = await stream.next();
          return batch === undefined ? undefined : deliverEvents(batch, all);
        },
        stop: () => stream.stop(),
      };
    },
    guaranteedUpdate: async (key, options) => {
      const tryUpdate = options.tryUpdate;
      const written = await storage.guaranteedUpdate(key, {
        ...options,
        tryUpdate: async (current) => tryUpdate(current === undefined ? undefined : await one(current)),
      });
      return one(written);
    },
    delete: async (key, options) => {
      const { validate } = options;
      const deleted = await storage.delete(key, {
        ...options,
        ...(validate === undefined ? {} : { validate: async (current) => validate(await one(current)) }),
      });
      return one(deleted);
    },
    // No decision may be based on a copy that may be in another version.
    cachedCopy: (key) => {
      const copy = storage.cachedCopy(key);
      return copy !== undefined && isInVersion(copy, apiVersion) ? copy : undefined;
    },
  };
  return new Proxy(storage, {
    get(target, property) {
      const own = Reflect.get(converting, property) as unknown;
      const value = own ?? (Reflect.get(target, property, target) as unknown);
      return typeof value === 'function' && own === undefined ? (value.bind(target) as unknown) : value;
    },
  });
}
