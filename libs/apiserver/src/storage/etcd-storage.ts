import { putIfAbsent, type EtcdConnection } from '@apichain/etcd-client';
import type { GroupResource, GroupVersionKind } from '@apichain/meta';
import { formatResource, type Storage, type StorageCodec } from '@apichain/storage';
import { createStore, HistoryBudget } from '@apichain/watch-cache';
import type { Registry } from 'prom-client';
import { storageMetrics, installStorageSizes, type ObjectSizes } from '@apichain/observability';
import type { EtcdOptions } from '../options/server-options.ts';
import type { GenericApiServer } from '../server.ts';
import { EtcdClusters } from './etcd-clusters.ts';
import { EncryptionAtRest } from './encryption-at-rest.ts';
import { readOnlyStorage, readOnlyView, type ReadOnlyServing } from './read-only.ts';

interface OpenStorageOptions {
  /** The key prefix of the objects below the prefix of the server, e.g. `/pods`. */
  readonly prefix: string;
  readonly codec: StorageCodec;
  readonly resource: GroupResource;
  /** The kind of the objects in the storage version. Absent = they are not for clients. */
  readonly kind?: GroupVersionKind;
  /** Field labels that lists and watches are indexed by. */
  readonly indexFields?: readonly string[];
}

/** An object that an empty store is initialised with. */
export interface FirstObject {
  /** The key below the prefix of the server, e.g. `/clusterroles/admin`. */
  readonly key: string;
  readonly resource: GroupResource;
  /** Encoded by the codec of the resource. */
  readonly value: Buffer;
}

/** The number of objects read to estimate the object size of a resource. */
const sampleSize = 20;
/** Enough for an etcd that starts at the same time. A longer timeout only delays the error about a wrong address. */
const etcdTimeoutMs = 4_000;

/** The etcd storage of one server: one connection per etcd for all its resources; health checks and metrics. */
export class EtcdStorage {
  readonly #clusters: EtcdClusters;
  readonly #options: EtcdOptions;
  readonly #readOnly: ReadOnlyServing | undefined;
  readonly #metrics;
  readonly #encryption: EncryptionAtRest | undefined;
  readonly #opened = new Map<Storage, OpenStorageOptions>();
  readonly #historyBudget = new HistoryBudget();

  /** Connects lazily: no request is sent before the first use. With `readOnly` nothing is ever written. */
  constructor(options: EtcdOptions, registry: Registry, readOnly?: ReadOnlyServing) {
    this.#options = options;
    this.#readOnly = readOnly;
    this.#metrics = storageMetrics(registry);
    this.#clusters = new EtcdClusters(options, this.#metrics, readOnly !== undefined);
    installStorageSizes(registry, {
      resources: () => this.#resources(),
      databases: this.connections.map((connection) => () => connection.databaseSize()),
    });
    if (options.encryption !== undefined) this.#encryption = new EncryptionAtRest(options.encryption, registry);
  }

  /** The connections to every etcd of this server; the etcd of `--etcd-servers` is the first. */
  get connections(): readonly EtcdConnection[] {
    return this.#clusters.all.map(({ connection }) => connection);
  }

  /**
   * Loads the encryption configuration, then waits for etcd. Stores are opened afterwards. Throws Error with one line for the operator, also
   * when etcd has not responded within `timeoutMs` milliseconds.
   */
  async prepare(timeoutMs = etcdTimeoutMs): Promise<void> {
    await this.#encryption?.load();
    await this.#clusters.waitForAll(timeoutMs);
  }

  /** Opens a store. It is closed with this connection at the latest. */
  open(options: OpenStorageOptions): Storage {
    const name = formatResource(options.resource);
    const { uncached } = this.#options;
    const { connection, leases } = this.#clusters.of(options.resource);
    const readOnly = this.#readOnly;
    const opened: Storage = createStore({
      onClose: () => this.#opened.delete(store),
      connection: connection.forResource(name),
      directory: `${options.prefix}/`,
      codec: options.codec,
      resource: options.resource,
      leases,
      metrics: this.#metrics,
      watchCache: uncached !== 'all' && !uncached.has(name),
      indexFields: options.indexFields,
      historyBudget: this.#historyBudget,
      ...(this.#encryption === undefined ? {} : { transformer: this.#encryption.transformerFor(options.resource) }),
      ...(readOnly === undefined
        ? {}
        : {
            view: readOnlyView(readOnly, { ...options, decrypts: this.#encryption !== undefined }),
            partsFillCache: false,
          }),
    });
    const store = readOnly === undefined ? opened : readOnlyStorage(opened, options.resource);
    this.#opened.set(store, options);
    return store;
  }

  *#resources() {
    for (const [store, { prefix, resource }] of this.#opened) {
      yield { resource, cache: store.cacheState, size: () => this.sizeOf(prefix, resource) };
    }
  }

  /** Whether there are no keys below the prefix of the server. */
  async isEmpty(): Promise<boolean> {
    const key = Buffer.from(`${this.#options.prefix}/`);
    const rangeEnd = Buffer.from(`${this.#options.prefix}0`);
    const isEmpty = async (connection: EtcdConnection) =>
      (await connection.range({ key, rangeEnd, limit: 1, keysOnly: true })).kvs.length === 0;
    return (await Promise.all(this.connections.map(isEmpty))).every(Boolean);
  }

  /** Creates the objects that do not exist, concurrently, each in its own revision. */
  async writeFirst(objects: readonly FirstObject[]): Promise<void> {
    const write = async ({ key, resource, value }: FirstObject) => {
      const etcdKey = Buffer.from(this.#options.prefix + key);
      const transformer = this.#encryption?.transformerFor(resource);
      const stored = transformer === undefined ? value : await transformer.toStorage(value, etcdKey);
      await putIfAbsent(this.#clusters.of(resource).connection, etcdKey, stored, '0');
    };
    await Promise.all(objects.map(write));
  }

  /**
   * The number of objects of a resource below the prefix, and their average size in bytes, estimated from a sample. Throws EtcdError. The
   * read is not linearizable, so the result may be slightly stale.
   */
  async sizeOf(prefix: string, resource: GroupResource): Promise<ObjectSizes> {
    const key = Buffer.from(`${this.#options.prefix}${prefix}/`);
    // '0' is the character after '/'.
    const rangeEnd = Buffer.from(`${this.#options.prefix}${prefix}0`);
    const { kvs, count } = await this.#clusters.of(resource).connection.range({
      key,
      rangeEnd,
      limit: sampleSize,
      serializable: true,
    });
    const bytes = kvs.reduce((sum, { value }) => sum + value.length, 0);
    return { count: Number(count), averageBytes: kvs.length === 0 ? 0 : Math.ceil(bytes / kvs.length) };
  }

  /** Adds the etcd checks and the compaction loops to a server, and closes the connections when the server has shut down. */
  attach(server: GenericApiServer): void {
    this.#clusters.attach(server);
    this.#encryption?.attach(server);
    server.addPostShutdownHook('close-etcd', () => this.close());
  }

  /** Closes the watch caches of its stores, then the connections. */
  async close(): Promise<void> {
    this.#encryption?.close();
    await Promise.all([...this.#opened.keys()].map((store) => store.close()));
    await this.#clusters.close();
  }
}
