import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { asError } from '@apichain/meta';
import { PostStartHooks, type HealthChecks, type PostStartHook } from '@apichain/observability';
import type { LoopbackConfig } from '@apichain/request';
import type { InFlightRequests } from './filters/in-flight-requests.ts';
import { GracefulShutdown, type ShutdownHook } from './graceful-shutdown.ts';
import { Ports, type PortHandlers } from './ports.ts';
import type { ServerConfig } from './server-config.ts';
import type { Worker } from '@apichain/workers';

/** Post-start hooks that finish when their informers have synced. */
const informerHooks: readonly string[] = ['generic-apiserver-start-informers', 'start-apiserver-admission-initializer'];

/** How long a process that was replaced serves the clients that have not yet gone to its successor, in milliseconds. */
const handOverMs = 1_000;

/** Throws Error before all workers of a service have started: the service is ready as a whole. */
function checkComplete({ isComplete, count }: Worker): void {
  if (!isComplete) throw new Error(`not all of ${count} workers have started`);
}

/**
 * The life cycle of a server: `makePorts` if it has ports, `start`, `shutdown`. It also registers the health checks of these phases. After
 * PrepareRun and RunWithContext of k8s.io/apiserver/pkg/server/genericapiserver.go.
 */
export class ServerLifecycle {
  readonly #config: ServerConfig;
  readonly #health: HealthChecks;
  readonly #postStartHooks: PostStartHooks;
  readonly #shutdown: GracefulShutdown;
  readonly #started = Promise.withResolvers<void>();
  #ports: Ports | undefined;
  #loopback: LoopbackConfig | undefined;

  constructor(config: ServerConfig, health: HealthChecks, inFlight: InFlightRequests) {
    this.#config = config;
    this.#health = health;
    this.#postStartHooks = new PostStartHooks(health, config.limits.livezGraceMs);
    for (const [name, hook] of config.postStartHooks ?? []) this.addPostStartHook(name, hook);
    this.#shutdown = new GracefulShutdown({
      limits: config.limits,
      logger: config.logger,
      inFlight,
      isReachable: () => this.hasPort,
      handOver: () => this.#handOver(),
      stopAccepting: () => this.#ports?.stopAccepting(),
      breakConnections: () => this.#breakConnections(),
      close: () => this.#closeSinks(),
    });
  }

  /** Whether clients reach this server by a port, now or when it is opened. Without a port only the chain calls it. */
  get hasPort(): boolean {
    return this.#ports !== undefined;
  }

  /** Throws Error before `start`. */
  get loopback(): LoopbackConfig {
    if (this.#loopback === undefined) throw new Error('the server has not been started yet');
    return this.#loopback;
  }

  /** Resolves when every post-start hook has finished. The failure of a hook is reported to `onFatal` instead. */
  get started(): Promise<void> {
    return this.#started.promise;
  }

  /** Resolves when what the hooks do after the start of the server has been done, too. */
  get rested(): Promise<void> {
    return this.#postStartHooks.rested;
  }

  /** Aborts when shutdown begins. */
  get stopping(): AbortSignal {
    return this.#shutdown.initiated;
  }

  /** Whether shutdown has begun and `--shutdown-delay-duration` has passed. */
  get isShutdownDelayOver(): boolean {
    return this.#shutdown.isDelayOver;
  }

  /** Throws Error when the name is taken. */
  addPostStartHook(name: string, hook: PostStartHook): void {
    this.#postStartHooks.add(name, hook);
  }

  addPreShutdownHook(name: string, hook: ShutdownHook): void {
    this.#shutdown.addPreShutdownHook(name, hook);
  }

  addPostShutdownHook(name: string, hook: ShutdownHook): void {
    this.#shutdown.addPostShutdownHook(name, hook);
  }

  /**
   * Makes the port and, if configured, the link socket and the debug socket. The function that it returns opens them, and rejects with Node's error
   * when one cannot be opened.
   */
  makePorts(handlers: PortHandlers): () => Promise<AddressInfo> {
    const { serving, debugSocketPath, worker } = this.#config;
    const ports = new Ports(serving, worker?.leads === false ? undefined : debugSocketPath, handlers, worker);
    this.#ports = ports;
    return async () => {
      const address = await ports.open();
      worker?.opened();
      return address;
    };
  }

  /** Completes the health checks and runs the post-start hooks, which call the server by `loopback`. */
  start(loopback: LoopbackConfig): void {
    const { delegate, files, logger } = this.#config;
    this.#loopback = loopback;
    if (delegate !== undefined) this.#health.include(delegate);
    this.#health.add({ name: 'informer-sync', check: () => this.#postStartHooks.check(informerHooks) }, ['readyz']);
    const { worker } = this.#config;
    if (worker !== undefined) this.#health.add({ name: 'workers', check: () => checkComplete(worker) }, ['readyz']);
    this.#health.add({ name: 'shutdown', check: () => this.#shutdown.check() }, ['readyz']);
    files?.run(this.stopping, logger);
    // Requests need the state that the hooks keep up to date, so the hooks run until requests are refused.
    const context = { signal: this.#shutdown.notAccepting, loopback, logger };
    this.#started.resolve(this.#postStartHooks.run(context, (name, error) => this.#onHookFailure(name, error)));
  }

  #onHookFailure(name: string, error: unknown): void {
    if (this.stopping.aborted) return;
    this.#config.logger.fatal({ hook: name, err: error }, 'post-start hook failed');
    this.#config.onFatal?.(asError(error));
  }

  /** See `GracefulShutdown.run`. */
  shutdown(patienceMs?: number): Promise<void> {
    return this.#shutdown.run(patienceMs);
  }

  #handOver(): Promise<unknown> | undefined {
    const { worker } = this.#config;
    if (worker?.isReplaced !== true || this.#ports === undefined) return undefined;
    this.#ports.handOver();
    return Promise.all([worker.caughtUp(), delay(handOverMs)]);
  }

  async #breakConnections(): Promise<void> {
    await this.#ports?.close();
    await this.#config.delegate?.close();
  }

  /** Runs after the last response, because spans and audit events are written until then. */
  async #closeSinks(): Promise<void> {
    await this.#config.tracer?.close();
    await this.#config.audit?.release();
  }
}
