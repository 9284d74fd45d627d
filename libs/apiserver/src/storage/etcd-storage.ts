import type { GroupResource } from '@apichain/meta';
import {
  connectEtcd,
  createLeaseManager,
  createStore,
  startCompactor,
  type EtcdConnection,
  type Storage,
  type StorageCodec,
} from '@apichain/storage';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { EtcdOptions } from '../options/server-options.ts';
import type { GenericApiServer } from '../server.ts';
import { EncryptionAtRest } from './encryption-at-rest.ts';

export interface OpenStorageOptions {
  /** Where the objects lie below the prefix of the server, e.g. `/pods`. */
  readonly prefix: string;
  readonly codec: StorageCodec;
  readonly resource: GroupResource;
  /** Field labels that lists and watches are indexed by. */
  readonly indexFields?: readonly string[];
}

const healthTimeoutMs = 2_000;
/** An etcd that starts at the same time is there by then; who waits longer only hides that the address is wrong. */
const answerTimeoutMs = 4_000;

/** The etcd of one server: one connection for all its resources, leases, compaction, health checks and metrics. */
export class EtcdStorage {
  readonly connection: EtcdConnection;
  readonly #leases;
  readonly #options: EtcdOptions;
  readonly #metrics;
  readonly #encryption: EncryptionAtRest | undefined;
  readonly #opened = new Set<Storage>();

  /** Connects lazily: nothing is sent before the first use. */
  constructor(options: EtcdOptions, registry: Registry) {
    this.#options = options;
    this.#metrics = storageMetrics(registry);
    this.connection = connectEtcd({
      metrics: this.#metrics,
      servers: options.servers,
      prefix: options.prefix,
      ...(options.ca === undefined ? {} : { ca: options.ca }),
      ...(options.certificate === undefined ? {} : { certificate: options.certificate }),
      ...(options.key === undefined ? {} : { key: options.key }),
    });
    this.#leases = createLeaseManager(this.connection);
    if (options.encryption !== undefined) this.#encryption = new EncryptionAtRest(options.encryption, registry);
  }

  /**
   * Loads the encryption configuration, then waits for etcd; stores are opened afterwards. Throws Error, one line for the operator, also
   * when etcd has not answered for `timeoutMs` milliseconds.
   */
  async prepare(timeoutMs = answerTimeoutMs): Promise<void> {
    await this.#encryption?.load();
    await this.waitForEtcd(timeoutMs);
  }

  /** The store is closed with this connection, at the latest. */
  open(options: OpenStorageOptions): Storage {
    const store: Storage = createStore({
      onClose: () => this.#opened.delete(store),
      connection: this.connection,
      directory: `${options.prefix}/`,
      codec: options.codec,
      resource: options.resource,
      leases: this.#leases,
      metrics: this.#metrics,
      watchCache: this.#options.watchCache,
      ...(options.indexFields === undefined ? {} : { indexFields: options.indexFields }),
      ...(this.#encryption === undefined ? {} : { transformer: this.#encryption.transformerFor(options.resource) }),
    });
    this.#opened.add(store);
    return store;
  }

  /** Throws Error that names the servers when etcd does not answer: a server should not start on an etcd that is not there. */
  async waitForEtcd(timeoutMs: number): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      try {
        await this.connection.checkHealth(Math.max(1, Math.min(1_000, deadline - Date.now())));
        return;
      } catch (error) {
        if (Date.now() < deadline) {
          await new Promise((resolve) => setTimeout(resolve, 100));
          continue;
        }
        const why = error instanceof Error ? error.message : String(error);
        throw new Error(
          `etcd does not answer at ${this.#options.servers.join(', ')} (${why}): start it or correct --etcd-servers`,
        );
      }
    }
  }

  /** Adds the etcd checks and the compaction loop to a server, and closes the connection when the server has shut down. */
  attach(server: GenericApiServer): void {
    const check = () => this.connection.checkHealth(healthTimeoutMs);
    server.health.add({ name: 'etcd', group: 'etcd', check });
    server.health.add({ name: 'etcd-readiness', check }, ['readyz']);
    this.#encryption?.attach(server);
    const onError = (error: unknown) => server.config.logger.warn({ err: error }, 'etcd could not be compacted');
    const compactor = startCompactor(this.connection, this.#options.compactionIntervalMs, onError);
    server.stopping.addEventListener('abort', () => void compactor.stop());
    server.addPostShutdownHook('close-etcd', () => this.close());
  }

  /** Ends the watch caches of its stores, then the connection. */
  async close(): Promise<void> {
    this.#encryption?.close();
    await Promise.all([...this.#opened].map((store) => store.close()));
    await this.connection.close();
  }
}

function storageMetrics(registry: Registry) {
  const registers = [registry];
  const requests = new Histogram({
    name: 'etcd_request_duration_seconds',
    help: 'Latency of requests to etcd by operation.',
    labelNames: ['operation'],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
    registers,
  });
  const counter = (name: string, help: string, ...labelNames: string[]) =>
    new Counter({ name, help, labelNames, registers });
  const errors = counter('etcd_request_errors_total', 'Failed requests to etcd.', 'operation');
  const consistent = counter(
    'apiserver_watch_cache_consistent_read_total',
    'Consistent reads from cache.',
    'resource',
    'success',
  );
  const received = counter(
    'apiserver_watch_cache_events_received_total',
    'Events received by watch caches.',
    'resource',
  );
  const terminated = counter('apiserver_terminated_watchers_total', 'Watchers closed for being too slow.', 'resource');
  const initialized = counter('apiserver_watch_cache_initializations_total', 'Watch cache fills.', 'resource');
  const watchers = new Gauge({
    name: 'apiserver_watchers',
    help: 'Open watches.',
    labelNames: ['resource'],
    registers,
  });
  return {
    etcdRequest: (operation: string, seconds: number, failed: boolean) => {
      requests.observe({ operation }, seconds);
      if (failed) errors.inc({ operation });
    },
    consistentRead: (resource: string, outcome: 'success' | 'fallback') =>
      consistent.inc({ resource, success: String(outcome === 'success') }),
    eventsReceived: (resource: string, count: number) => received.inc({ resource }, count),
    watcherTerminated: (resource: string) => terminated.inc({ resource }),
    watchers: (resource: string, change: 1 | -1) => watchers.inc({ resource }, change),
    cacheInitialized: (resource: string) => initialized.inc({ resource }),
  };
}
