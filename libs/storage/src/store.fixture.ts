import { connectEtcd, type EtcdConnection } from '@apichain/etcd-client';
import type { KubeObject } from '@apichain/meta';
import { jsonCodec, metadataAttributes } from './codec.ts';
import {
  everything,
  listEverything,
  type SelectionPredicate,
  type Storage,
  type StorageListOptions,
  type StorageWatchOptions,
  type WatchEvent,
  type WatchStream,
} from './storage.ts';
import type { StoreOptions } from './store-options.ts';

/** Selects by one label. */
export const labelled = (key: string, value: string): SelectionPredicate => ({
  matches: ({ labels }) => labels[key] === value,
  everything: false,
  exactFields: {},
});
/** Selects by one field. */
export const withField = (name: string, value: string): SelectionPredicate => ({
  matches: ({ fields }) => fields[name] === value,
  everything: false,
  exactFields: { [name]: value },
});

/** A ConfigMap in the namespace `default`. */
export const configMap = (
  name: string,
  data: Record<string, string> = {},
  labels?: Record<string, string>,
): KubeObject => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name, namespace: 'default', uid: `uid-${name}`, ...(labels === undefined ? {} : { labels }) },
  data,
});

/** The data of a ConfigMap as it is stored. */
export const dataOf = (json: Buffer): Record<string, string> =>
  (JSON.parse(json.toString()) as { data: Record<string, string> }).data;

/** Stores ConfigMaps as JSON, with the field `data.node`. */
export const codec = jsonCodec({
  attributes: (object) => {
    const { node } = (object['data'] ?? {}) as Record<string, string | undefined>;
    const attributes = metadataAttributes(object);
    return { ...attributes, fields: { ...attributes.fields, 'data.node': node ?? '' } };
  },
});

let stores = 0;
/** A store of ConfigMaps and its connection. */
export interface TestStore {
  readonly connection: EtcdConnection;
  readonly storage: Storage;
  /** The key of an object by name. */
  readonly key: (name: string) => string;
  readonly root: string;
  readonly directory: string;
  close(): Promise<void>;
}

/** Opens a store with the prefix on the etcd at `url`; `open` makes it. Default: a unique prefix. */
export function openTestStore(
  url: string,
  open: (options: StoreOptions) => Storage,
  prefix = `/test-${String(process.pid)}-${String(stores++)}`,
): TestStore {
  const connection = connectEtcd({ servers: [url], prefix });
  const resource = { group: '', resource: 'configmaps' };
  const storage = open({ connection, directory: '/configmaps/', codec, resource });
  return {
    connection,
    storage,
    key: (name) => `/configmaps/default/${name}`,
    root: '/configmaps/',
    directory: '/configmaps/default/',
    close: async () => {
      await storage.close();
      await connection.close();
    },
  };
}

/** Options of a list; default: everything, consistent. */
export const listOptions = (options: Partial<StorageListOptions> = {}): StorageListOptions => ({
  ...listEverything,
  ...options,
});
/** Options of a watch; default: everything, from now on. */
export const watchOptions = (options: Partial<StorageWatchOptions> = {}): StorageWatchOptions => ({
  resourceVersion: '',
  predicate: everything,
  allowWatchBookmarks: false,
  signal: new AbortController().signal,
  ...options,
});

/** Describes an event for assertions: `ADDED a`, `BOOKMARK`, `ERROR 410`. */
export const describeEvent = (event: WatchEvent): string =>
  `${event.type} ${event.object?.attributes.name ?? (event.status === undefined ? '' : String(event.status.code))}`.trim();

/** Takes the next `count` events, or fewer if the stream ends or no event arrives for two seconds. */
export async function take(stream: WatchStream, count: number, patienceMs = 2_000): Promise<WatchEvent[]> {
  const events: WatchEvent[] = [];
  while (events.length < count) {
    const timeout = AbortSignal.timeout(patienceMs);
    const silence = new Promise<undefined>((resolve) => {
      timeout.addEventListener('abort', () => {
        resolve(undefined);
      });
    });
    const batch = await Promise.race([stream.next(), silence]);
    if (batch === undefined) break;
    events.push(...batch);
  }
  return events;
}
