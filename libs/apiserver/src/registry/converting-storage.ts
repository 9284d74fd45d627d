import { parseJson, stringifyJson, type KubeObject } from '@apichain/meta';
import type { ObjectAttributes, Storage, StoredObject, WatchEvent } from '@apichain/storage';
import { eventWithObject } from './event-with-object.ts';

type Convert = (objects: readonly KubeObject[]) => Promise<KubeObject[]>;

/** The apiVersion of stored JSON, which begins with kind and apiVersion. */
function isInVersion({ json }: StoredObject, apiVersion: string): boolean {
  const head = json.toString('latin1', 0, 512);
  const mark = '"apiVersion":"';
  const start = head.indexOf(mark) + mark.length;
  return start >= mark.length && head.startsWith(`${apiVersion}"`, start);
}

class NormalizedObject implements StoredObject {
  readonly key: string;
  readonly revision: number;
  readonly attributes: ObjectAttributes;
  readonly shapes: Map<string, Buffer>;
  readonly json: Buffer;
  constructor({ key, revision, attributes, shapes }: StoredObject, json: Buffer) {
    this.key = key;
    this.revision = revision;
    this.attributes = attributes;
    this.shapes = shapes;
    this.json = json;
  }
  parse(): KubeObject {
    return parseJson(this.json) as KubeObject;
  }
}

/**
 * A store whose objects may have been written in several versions, seen in one: what is not in `apiVersion` is converted on its way out.
 * The converted bytes are kept with the object. Reads reject with what `convert` rejects with.
 */
export function convertingStorage(storage: Storage, apiVersion: string, convert: Convert): Storage {
  const shape = `json;hub;${apiVersion}`;
  const all = async (items: readonly StoredObject[]): Promise<readonly StoredObject[]> => {
    const foreign = items.filter((item) => !isInVersion(item, apiVersion));
    if (foreign.length === 0) return items;
    const missing = foreign.filter((item) => !item.shapes.has(shape));
    const objects = missing.length === 0 ? [] : await convert(missing.map((item) => item.parse()));
    const made = new Map(foreign.map((item) => [item, item.shapes.get(shape)]));
    for (const [i, item] of missing.entries()) {
      const json = Buffer.from(stringifyJson(objects[i]));
      item.shapes.set(shape, json);
      made.set(item, json);
    }
    return items.map((item) => {
      const json = made.get(item);
      return json === undefined ? item : new NormalizedObject(item, json);
    });
  };
  const one = async (item: StoredObject): Promise<StoredObject> => (await all([item]))[0] ?? item;
  const events = async (batch: readonly WatchEvent[]): Promise<readonly WatchEvent[]> => {
    const objects = await all(batch.map(({ object }) => object).filter((object) => object !== undefined));
    let next = 0;
    return batch.map((event) => {
      const object = event.object === undefined ? undefined : objects[next++];
      return object === undefined || object === event.object ? event : eventWithObject(event, object);
    });
  };
  const converting: Partial<Storage> = {
    get: async (key, options) => one(await storage.get(key, options)),
    list: async (directory, options) => {
      const list = await storage.list(directory, options);
      return { ...list, items: await all(list.items) };
    },
    watch: async (directory, options) => {
      const stream = await storage.watch(directory, options);
      return {
        next: async () => {
          const batch = await stream.next();
          return batch === undefined ? undefined : events(batch);
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
    // Nothing is decided on a copy that may be in another version.
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
