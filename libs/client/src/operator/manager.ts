import { sleep, untilAborted } from '@apichain/meta';
import type { Gauge, Registry } from 'prom-client';
import { runWhileLeading } from '../leader-election.ts';
import { errorText, jsonLogger, type Logger } from '../log.ts';
import type { ControllerObserver } from '../metrics.ts';
import type { RestClient } from '../rest-client.ts';
import type { EndpointServer } from '../serve-endpoints.ts';
import { SharedInformers } from '../shared-informers.ts';
import { Cache, CachedClient } from './cached-client.ts';
import type { Controller } from './controller.ts';
import { electionOf, type LeaderElection } from './election.ts';
import { healthEndpoints, serveOn, type HealthCheck } from './health.ts';
import { RunningController } from './running-controller.ts';

/** What a manager runs, and how. Defaults are those of controller-runtime. */
export interface ManagerOptions {
  /** Must be able to keep a connection open for each watched kind. */
  readonly client: RestClient;
  readonly controllers: readonly Controller[];
  /** The namespaces whose objects are watched. Default: all. */
  readonly namespaces?: readonly string[];
  /** Default: lines of JSON on standard error. */
  readonly log?: Logger;
  /** Controllers begin when this replica is the leader. Default: at once. */
  readonly leaderElection?: LeaderElection;
  /** Where /healthz, /livez and /readyz are served: `:8081`. Default: nowhere. The manager is ready when its caches are filled. */
  readonly healthProbeBindAddress?: string;
  /** Further checks of /healthz and /readyz by their names. */
  readonly healthzChecks?: Readonly<Record<string, HealthCheck>>;
  readonly readyzChecks?: Readonly<Record<string, HealthCheck>>;
  /** Where /metrics is served: `:8080`. Default: nowhere. */
  readonly metricsBindAddress?: string;
  /** Where metrics are registered. Default: a registry of the manager, if it serves them. */
  readonly registry?: Registry;
  /** How long the start waits for the caches, in milliseconds. Default: two minutes. */
  readonly cacheSyncTimeoutMs?: number;
  /** How long the end waits for reconciles that run, in milliseconds. Default: 30 seconds. */
  readonly gracefulShutdownTimeoutMs?: number;
  /** Stops the manager. */
  readonly signal?: AbortSignal;
}

/** Controllers that run in this process. */
export interface Manager {
  /** Reads objects of watched kinds from the cache: see CachedClient. */
  readonly client: RestClient;
  /** Reads from the server. */
  readonly apiReader: RestClient;
  /** The ports that are served. Undefined for what is not. */
  readonly healthPort: number | undefined;
  readonly metricsPort: number | undefined;
  /** Resolves when the controllers begin: at once without leader election. */
  readonly elected: Promise<void>;
  /** Resolves when everything has stopped. Rejects when leadership is lost, or when reconciles do not end in time. */
  readonly stopped: Promise<void>;
  /** No further reconcile begins; those that run are waited for. Returns `stopped`. */
  stop(): Promise<void>;
}

/**
 * Runs controllers over one client. Each resource is listed and watched once, whoever asks for it. Resolves when the caches are filled and the controllers work, or
 * wait for their election. Throws Error for two controllers of one name, an address that cannot be used, and caches that are not filled in time.
 * https://pkg.go.dev/sigs.k8s.io/controller-runtime/pkg/manager
 */
export async function startManager(options: ManagerOptions): Promise<Manager> {
  const manager = new RunningManager(options);
  try {
    await manager.start();
  } catch (error) {
    await manager.release();
    throw error;
  }
  return manager;
}

/** What measures controllers. */
interface Measured {
  readonly registry: Registry;
  readonly controller: (name: string, workers: number) => ControllerObserver;
  readonly leader: Gauge<'name'>;
}

class RunningManager implements Manager {
  readonly client: CachedClient;
  readonly apiReader: RestClient;
  readonly #options: ManagerOptions;
  readonly #log: Logger;
  readonly #stopping = new AbortController();
  readonly #shared: SharedInformers;
  readonly #cache: Cache;
  readonly #elected = Promise.withResolvers<void>();
  /** The last failure of each watched resource. */
  readonly #failures = new Map<string, string>();
  #controllers: readonly RunningController[] = [];
  #health: EndpointServer | undefined;
  #metrics: EndpointServer | undefined;
  #measured: Measured | undefined;
  #hasSynced = false;
  #stopped: Promise<void> = Promise.resolve();

  constructor(options: ManagerOptions) {
    const { client, namespaces = [], log = jsonLogger('manager', (line) => process.stderr.write(line)) } = options;
    this.#options = options;
    this.#log = log;
    this.#shared = new SharedInformers({
      client,
      onError: ({ resource }, error) => {
        this.#failures.set(resource, errorText(error));
        log.error('watch failed', { resource, error: errorText(error) });
      },
    });
    this.#cache = new Cache(this.#shared, namespaces);
    this.client = new CachedClient(client, this.#cache);
    this.apiReader = client;
  }

  get healthPort(): number | undefined {
    return this.#health?.port;
  }

  get metricsPort(): number | undefined {
    return this.#metrics?.port;
  }

  get elected(): Promise<void> {
    return this.#elected.promise;
  }

  get stopped(): Promise<void> {
    return this.#stopped;
  }

  async start(): Promise<void> {
    const { controllers, signal } = this.#options;
    requireNames(controllers);
    const election = electionOf(this.#options.leaderElection);
    if (signal?.aborted === true) this.#stopping.abort();
    signal?.addEventListener('abort', () => this.#stopping.abort(), { signal: this.#stopping.signal });
    await this.#measure();
    const surroundings = {
      client: this.client,
      apiReader: this.apiReader,
      log: this.#log,
      signal: this.#stopping.signal,
    };
    this.#controllers = controllers.map((controller) => {
      const workers = controller.spec.maxConcurrentReconciles ?? 1;
      const observer = this.#measured?.controller(controller.name, workers);
      return new RunningController(controller, surroundings, this.#cache, observer);
    });
    await this.#serve();
    await this.#sync();
    this.#stopped = (election === undefined ? this.#work() : this.#lead(election)).finally(() => this.release());
  }

  stop(): Promise<void> {
    this.#stopping.abort();
    return this.#stopped;
  }

  /** Ends what does not depend on controllers. */
  async release(): Promise<void> {
    this.#stopping.abort();
    for (const controller of this.#controllers) controller.shutDown();
    await this.#shared.stop();
    this.#health?.close();
    this.#metrics?.close();
  }

  async #measure(): Promise<void> {
    const { registry, metricsBindAddress } = this.#options;
    if (registry === undefined && metricsBindAddress === undefined) return;
    // Who has no metrics needs no library for them.
    const { controllerMetrics, leaderMetric, processRegistry } = await import('../metrics.ts');
    const used = registry ?? processRegistry();
    this.#measured = { registry: used, controller: controllerMetrics(used), leader: leaderMetric(used) };
  }

  async #serve(): Promise<void> {
    const { healthProbeBindAddress, healthzChecks = {}, readyzChecks = {}, metricsBindAddress } = this.#options;
    const synced = () => {
      if (!this.#hasSynced) throw new Error('the caches are not filled');
    };
    if (healthProbeBindAddress !== undefined) {
      const endpoints = healthEndpoints(healthzChecks, { synced, ...readyzChecks }, this.#log);
      this.#health = await serveOn('healthProbeBindAddress', healthProbeBindAddress, endpoints);
    }
    const registry = this.#measured?.registry;
    if (metricsBindAddress === undefined || registry === undefined) return;
    const metrics = async () => ({ code: 200, text: await registry.metrics(), contentType: registry.contentType });
    this.#metrics = await serveOn('metricsBindAddress', metricsBindAddress, { '/metrics': metrics });
  }

  async #sync(): Promise<void> {
    const { cacheSyncTimeoutMs = 120_000 } = this.#options;
    const waiting = new AbortController();
    const outcome = await Promise.race([
      this.#cache.start().then(() => 'synced' as const),
      untilAborted(this.#stopping.signal).then(() => 'stopped' as const),
      sleep(cacheSyncTimeoutMs, waiting.signal).then(() => 'late' as const),
    ]);
    waiting.abort();
    if (outcome === 'late')
      throw new Error(`timed out waiting for caches to be synced: ${this.#cache.unsynced(this.#failures).join('; ')}`);
    this.#hasSynced = outcome === 'synced';
  }

  /** Reconciles until the manager stops. Throws Error when reconciles do not end in time. */
  async #work(): Promise<void> {
    const { signal } = this.#stopping;
    const { gracefulShutdownTimeoutMs = 30_000 } = this.#options;
    this.#elected.resolve();
    const running = Promise.all(this.#controllers.map((controller) => controller.run(signal)));
    await untilAborted(signal);
    const waiting = new AbortController();
    const late = sleep(gracefulShutdownTimeoutMs, waiting.signal).then(() => false);
    const hasEnded = await Promise.race([running.then(() => true), late]);
    waiting.abort();
    if (!hasEnded)
      throw new Error(
        `failed waiting for all runnables to end within grace period of ${gracefulShutdownTimeoutMs / 1_000}s`,
      );
  }

  async #lead(election: ReturnType<typeof electionOf> & object): Promise<void> {
    const { signal } = this.#stopping;
    const { name } = election;
    const status = (leads: 0 | 1) => this.#measured?.leader.set({ name }, leads);
    status(0);
    const options = { ...election, client: this.apiReader, signal, log: this.#log };
    const outcome = await runWhileLeading(options, async (leading) => {
      leading.addEventListener('abort', () => this.#stopping.abort());
      status(1);
      await this.#work().finally(() => status(0));
    });
    if (outcome === 'lost') throw new Error('leader election lost');
  }
}

/** Names are those of metrics and queues. */
function requireNames(controllers: readonly Controller[]): void {
  const names = new Set<string>();
  for (const { name } of controllers) {
    if (names.has(name))
      throw new Error(`controller with name ${name} already exists: each controller of a manager needs its own name`);
    names.add(name);
  }
}
