import { type Informer, type RestClient, WorkQueue, type WorkQueueObserver, runWorkers } from '@apichain/client';
import { currentTime, currentTimestamp, isStatusError, sleep } from '@apichain/meta';
import { type ApiService, apiServices, withCondition } from '../apiservice/api-service.ts';
import type { AggregatedGroups } from '../discovery/group-source.ts';
import { fetchDocuments } from '../openapi/fetch-documents.ts';
import type { RemoteOpenApi } from '../openapi/remote-documents.ts';
import { fetchDiscovery, probeDiscovery } from '../routing/remote-discovery.ts';
import type { ExtensionProxy } from '../routing/extension-proxy.ts';
import type { Routes } from '../routing/routes.ts';
import type { ServiceLookup } from '../routing/service-resolver.ts';
import type { AvailabilityMetrics } from './availability-metrics.ts';
import { availability, failedDiscoveryCheck } from './availability.ts';

/** APIServices that are checked at the same time. A server that does not respond occupies a worker until the timeout of its probe. */
const workers = 64;
const resyncMs = 30_000;
/**
 * The shortest interval between two fetches of the OpenAPI documents of an extension API server, in milliseconds. They are fetched at once when the
 * annotations of the APIService have changed: registrations keep a hash of the server's resources there.
 */
const describeMs = 60_000;

/** How long the condition of an available server waits for its discovery, in milliseconds: a client that reads it should find the resources. */
const discoveryFirstMs = 500;

/** Updates routes, availability and discovery of every APIService when the informers report changes. */
export class ApiServiceController {
  readonly #client: RestClient;
  readonly #informer: Informer;
  readonly #lookup: ServiceLookup | undefined;
  readonly #routes: Routes;
  readonly #groups: AggregatedGroups;
  readonly #openApi: RemoteOpenApi;
  readonly #writes: boolean;
  readonly #described = new WeakMap<ExtensionProxy, { readonly at: number; readonly annotations: string }>();
  /** Objects of the informer that have been written since: the informer will deliver newer ones, whose condition may be another. */
  readonly #superseded = new WeakSet<ApiService>();
  readonly #onError: (name: string, error: unknown) => void;
  readonly #metrics: AvailabilityMetrics;
  readonly #queue: WorkQueue;

  constructor(options: {
    client: RestClient;
    informer: Informer;
    /** Undefined = there are no Service objects. */
    lookup: ServiceLookup | undefined;
    routes: Routes;
    groups: AggregatedGroups;
    openApi: RemoteOpenApi;
    /** Whether conditions are written. Of several processes that serve together one writes them; each finds out by itself what is available. */
    writes: boolean;
    metrics: AvailabilityMetrics;
    observer?: WorkQueueObserver;
    onError: (name: string, error: unknown) => void;
  }) {
    this.#client = options.client;
    this.#informer = options.informer;
    this.#lookup = options.lookup;
    this.#routes = options.routes;
    this.#groups = options.groups;
    this.#openApi = options.openApi;
    this.#writes = options.writes;
    this.#metrics = options.metrics;
    this.#queue = new WorkQueue({ observer: options.observer });
    this.#onError = options.onError;
    const changed = (object: { metadata: { name?: string } }) => this.#changed(object.metadata.name ?? '');
    this.#informer.addHandlers({ onAdd: changed, onUpdate: changed, onDelete: changed });
  }

  /** Handles a change of a Service or one of its EndpointSlices: queues the APIServices that refer to it. */
  serviceChanged(namespace: string, name: string): void {
    for (const [apiServiceName, { spec }] of this.#routes.services)
      if (spec.service?.namespace === namespace && spec.service.name === name) this.#queue.add(apiServiceName);
  }

  async run(signal: AbortSignal): Promise<void> {
    const resync = setInterval(() => {
      for (const [name, { spec }] of this.#routes.services) if (spec.service !== undefined) this.#queue.add(name);
    }, resyncMs);
    signal.addEventListener('abort', () => {
      clearInterval(resync);
      this.#queue.shutDown();
    });
    await runWorkers(this.#queue, workers, (name) => this.#reconcile(name), this.#onError);
  }

  /** Updates the routes at once, and queues the work that needs the network. */
  #changed(name: string): void {
    const apiService = this.#informer.get(name) as ApiService | undefined;
    if (apiService === undefined) {
      this.#routes.remove(name);
      this.#groups.removeRemote(name);
      this.#openApi.remove(name);
      this.#metrics.forget(name);
    } else this.#routes.set(apiService);
    this.#groups.changed();
    this.#queue.add(name);
  }

  async #reconcile(name: string): Promise<void> {
    const apiService = this.#informer.get(name) as ApiService | undefined;
    if (apiService === undefined || this.#superseded.has(apiService)) return;
    const proxy = this.#routes.proxyOf(name);
    const condition = await availability(apiService, this.#lookup, async (service) => {
      if (proxy !== undefined) await probeDiscovery(proxy, service);
    });
    this.#metrics.observe(name, condition);
    const learned = this.#learn(name, apiService, proxy, condition.status === 'True');
    if (condition.reason === failedDiscoveryCheck) proxy?.closeIdle();
    // A server whose discovery fails or is slow is available nevertheless. The discovery is retried.
    await settledWithin(learned, discoveryFirstMs);
    if (this.#writes) await this.#publish(apiService, condition, proxy);
    await learned;
    // Without an event the next check would be the resync. A server that was only away for a moment is checked again soon, with a growing delay.
    if (condition.reason === failedDiscoveryCheck) throw new Error(condition.message);
  }

  /**
   * Fetches discovery and OpenAPI from the server, each whether or not the other one can be had. Rejects when the server is available and its
   * discovery fails.
   */
  async #learn(
    name: string,
    apiService: ApiService,
    proxy: ExtensionProxy | undefined,
    isAvailable: boolean,
  ): Promise<void> {
    if (proxy === undefined) this.#openApi.remove(name);
    else if (isAvailable) {
      void this.#describe(name, apiService, proxy);
      await this.#discover(name, apiService, proxy);
    } else this.#groups.setStale(name, apiService.spec.version ?? '');
  }

  async #publish(
    apiService: ApiService,
    condition: Parameters<typeof withCondition>[1],
    proxy: ExtensionProxy | undefined,
  ): Promise<void> {
    const status = withCondition(apiService.status, condition, currentTimestamp());
    if (status === apiService.status) return;
    // Updates the proxy before the write, because the watch event arrives later: a client that reads the new status can already use the server.
    proxy?.refresh({ ...apiService, status });
    try {
      await this.#client.update(apiServices, { ...apiService, status }, { subresource: 'status' });
    } catch (error) {
      // The informer will deliver a newer object, which is then queued again.
      if (!isStatusError(error, 'Conflict') && !isStatusError(error, 'NotFound')) throw error;
    }
    this.#superseded.add(apiService);
  }

  async #discover(name: string, apiService: ApiService, proxy: ExtensionProxy): Promise<void> {
    try {
      this.#groups.setRemote(name, await fetchDiscovery(proxy, apiService));
    } catch (error) {
      this.#groups.setStale(name, apiService.spec.version ?? '');
      throw error;
    }
  }

  /** Fetches the OpenAPI documents in the background: they are large, and availability does not depend on them. */
  async #describe(name: string, apiService: ApiService, proxy: ExtensionProxy): Promise<void> {
    const last = this.#described.get(proxy);
    const annotations = JSON.stringify(apiService.metadata.annotations ?? {});
    if (last?.annotations === annotations && currentTime() - last.at < describeMs) return;
    this.#described.set(proxy, { at: currentTime(), annotations });
    try {
      const documents = await fetchDocuments(proxy, apiService);
      if (this.#routes.proxyOf(name) !== proxy) return;
      if (documents === undefined) this.#openApi.remove(name);
      else this.#openApi.set(name, documents);
    } catch (error) {
      this.#described.delete(proxy);
      this.#onError(name, error);
    }
  }
}

/** Resolves when the work is done or has failed, or after `milliseconds`. */
async function settledWithin(work: Promise<void>, milliseconds: number): Promise<void> {
  const waiting = new AbortController();
  await Promise.race([Promise.allSettled([work]), sleep(milliseconds, waiting.signal)]);
  waiting.abort();
}
