import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AuditMetrics } from '@apichain/audit';
import { isChainProxy } from '@apichain/authn';
import type { GroupVersion } from '@apichain/meta';
import {
  AccessMetrics,
  HealthChecks,
  healthMetrics,
  ImpersonationMetrics,
  installCounts,
  installTokenMetrics,
  installFeatureMetrics,
  installProcessMetrics,
  restClientMetrics,
  type PostStartHook,
} from '@apichain/observability';
import {
  levelOf,
  LoopbackAuthenticator,
  serverVersion,
  type LoopbackConfig,
  type PathMux,
  type RequestInfo,
} from '@apichain/request';
import { Registry } from 'prom-client';
import { inProcessTransport } from '@apichain/delegation';
import type { ApiGroupInfo, GroupPriorities, GroupVersionHandler } from './api-group.ts';
import { Director } from './director.ts';
import { DiscoveryEndpoints } from './discovery/endpoints.ts';
import { activityOf, type ServerActivity } from './activity.ts';
import { DiscoveryRegistry, defaultPriorities } from './discovery/registry.ts';
import { apiResources } from './discovery/resources.ts';
import type { ApiResource } from './discovery/types.ts';
import { InFlightRequests } from './filters/in-flight-requests.ts';
import { RequestMetrics } from './filters/request-metrics.ts';
import type { ShutdownHook } from './graceful-shutdown.ts';
import type { ChainParts } from './handler-chain.ts';
import { OpenApiEndpoints } from './openapi/endpoints.ts';
import type { OpenApiEncoders, OpenApiSource } from './openapi/source.ts';
import type { PortHandlers } from './ports.ts';
import { RequestHandler } from './request-handler.ts';
import { requestLimit } from './request-limit.ts';
import type { ServerConfig } from './server-config.ts';
import { ServerLifecycle } from './server-lifecycle.ts';
import type { WorkerPool } from '@apichain/worker-pool';
import { installSystemPaths } from './system-paths.ts';

/** What a server knows from objects in etcd. It may be a moment behind them. */
export interface Followed {
  /** Applies every write that was acknowledged before the call. Rejects with the errors of a read. */
  refresh(signal?: AbortSignal): Promise<void>;
}

/**
 * A Kubernetes API server without any API groups. It combines three parts: the director (routes paths to handlers), the request
 * handler (runs the filters before the director) and the life cycle (ports, hooks, shutdown). It adds discovery, health and metrics.
 *
 * Use: install groups, paths and hooks. Then call `listen()`, or `startWithoutPort()` behind another server of the process. Finally call
 * `shutdown()`. After k8s.io/apiserver/pkg/server.GenericAPIServer.
 */
export class GenericApiServer {
  readonly config: ServerConfig;
  readonly discovery = new DiscoveryRegistry();
  readonly discoveryEndpoints: DiscoveryEndpoints;
  readonly health: HealthChecks;
  readonly metrics: Registry;
  /** The metrics of `/metrics/slis`. */
  readonly slis = new Registry();
  readonly #director: Director;
  readonly #requests: RequestHandler;
  readonly #lifecycle: ServerLifecycle;
  readonly #requestMetrics: RequestMetrics;
  readonly #counted: ReturnType<typeof restClientMetrics>;
  readonly #loopbackAuthenticator: LoopbackAuthenticator;
  readonly #followed: Followed[] = [];

  constructor(config: ServerConfig) {
    this.config = config;
    this.#loopbackAuthenticator = new LoopbackAuthenticator(config.authenticator);
    this.metrics = config.metricsRegistry ?? new Registry();
    this.#director = new Director(config.delegate, config.catchUp);
    this.#counted = restClientMetrics(this.metrics);
    installProcessMetrics(this.metrics, config.version ?? serverVersion);
    if (config.features !== undefined) {
      installFeatureMetrics(this.metrics, config.features.known, config.features.isOpen);
    }
    const decisions = config.authorizationDecisions;
    if (decisions !== undefined)
      installCounts(
        this.metrics,
        {
          name: 'apiserver_authorization_decisions_total',
          help: 'Decisions of authorizers that ended the authorization of a request.',
          labelNames: ['type', 'name', 'decision'],
        },
        function* () {
          for (const { type, name, allowed, denied } of decisions.all()) {
            if (allowed > 0) yield [{ type, name, decision: 'allowed' }, allowed];
            if (denied > 0) yield [{ type, name, decision: 'denied' }, denied];
          }
        },
      );
    if (config.tokenCounts !== undefined) installTokenMetrics(this.metrics, config.tokenCounts);
    this.health = new HealthChecks(
      (probe, failures) => config.logger.info({ probe, failures }, 'health check failed'),
      healthMetrics(this.slis),
    );
    // The server calls itself without TLS, so no certificate can expire. The check exists because probes may exclude it by name.
    this.health.add({ name: 'loopback-serving-certificate', check: () => undefined }, ['healthz', 'livez']);
    const inFlight = new InFlightRequests();
    this.#lifecycle = new ServerLifecycle(config, this.health, inFlight);
    config.audit?.acquire();
    (config.audit?.metrics ?? new AuditMetrics()).register(this.metrics);
    this.#requestMetrics = new RequestMetrics(this.metrics, (scope) => this.serves(scope.requestInfo));
    this.#requests = new RequestHandler(this.#chainParts(inFlight), this.#director);
    this.discoveryEndpoints = new DiscoveryEndpoints(this.discovery, config.delegate, config.logger);
    this.#installOwnPaths();
  }

  /** The inputs of the filters, with the metrics of each part. */
  #chainParts(inFlight: InFlightRequests): ChainParts {
    const { config, metrics } = this;
    const requestMetrics = this.#requestMetrics;
    const limit = requestLimit({
      config,
      metrics,
      paths: this.paths,
      addHook: (name, hook) => this.addPostStartHook(name, hook),
      // Without a port only the chain's internal requests pass the filters, and those are exempt from limits.
      isReachable: () => this.#lifecycle.hasPort,
      onDrop: (scope) => requestMetrics.recordTermination(scope, 429),
    });
    requestMetrics.watchInFlight(metrics, inFlight, limit);
    return {
      config,
      authenticator: this.#loopbackAuthenticator,
      authorizer: config.authorizer,
      inFlight,
      limit,
      metrics: requestMetrics,
      access: new AccessMetrics(metrics),
      impersonation: new ImpersonationMetrics(metrics),
      isDelayOver: () => this.#lifecycle.isShutdownDelayOver,
    };
  }

  /** Health checks, metrics and debug pages, discovery. */
  #installOwnPaths(): void {
    const { config } = this;
    this.health.install(this.paths);
    installSystemPaths(this.paths, {
      name: config.name,
      worker: config.worker,
      metrics: this.metrics,
      slis: this.slis,
      pages: config.pages ?? { profiling: true, statusz: true },
      delegate: config.delegate,
      passOn: (request, response) => this.#director.passOn(request, response),
      setVerbosity: (verbosity) => this.#setVerbosity(verbosity),
      version: config.version,
    });
    this.discoveryEndpoints.install(this.paths);
  }

  /** Sets the log verbosity (`--v`). The filters are rebuilt because the verbosity decides which filters there are. */
  #setVerbosity(verbosity: number): void {
    this.config.logger.level = levelOf(verbosity);
    this.#requests.rebuildFilters();
  }

  // Served paths

  /** Paths outside the installed groups: `/version`, `/openapi/v2`, whole subtrees. */
  get paths(): PathMux {
    return this.#director.paths;
  }

  /** The worker threads of the server, for work that belongs to no request. Undefined if it has none. */
  get workers(): WorkerPool | undefined {
    return this.#requests.workers();
  }

  /** Whether this server, or a later server of the same process, serves the resource of a request. */
  serves(info: RequestInfo): boolean {
    return this.#director.serves(info) || this.config.delegate?.serves?.(info) === true;
  }

  /** Installs every version of the group through the configured installer. Call before the server starts. */
  installApiGroup(group: ApiGroupInfo): void {
    const priorities = group.priorities ?? defaultPriorities(group.versions);
    for (const version of group.versions) {
      const groupVersion = { group: group.group, version };
      const storages = group.storages.get(version) ?? [];
      const handler = this.config.installer(groupVersion, storages);
      this.#director.addGroupVersion(group.group, version, handler, true);
      this.discovery.set(groupVersion, apiResources(groupVersion, storages), priorities);
    }
  }

  /** Adds or replaces one group-version while the server runs, e.g. for a CustomResourceDefinition. */
  setGroupVersion(
    groupVersion: GroupVersion,
    handler: GroupVersionHandler,
    resources: readonly ApiResource[],
    priorities: GroupPriorities,
  ): void {
    this.#director.addGroupVersion(groupVersion.group, groupVersion.version, handler, false);
    this.discovery.set(groupVersion, resources, priorities, false);
  }

  async removeGroupVersion(groupVersion: GroupVersion): Promise<void> {
    this.discovery.remove(groupVersion);
    await this.#director.removeGroupVersion(groupVersion.group, groupVersion.version)?.close?.();
  }

  /** Serves `/openapi/v2` and `/openapi/v3` from the source, merged with the documents of the next server. */
  installOpenApi(source: OpenApiSource, encoders: OpenApiEncoders): OpenApiEndpoints {
    const { delegate, logger } = this.config;
    const endpoints = new OpenApiEndpoints({
      source,
      encoders,
      delegate,
      passOn: (_context, request, response) => this.#director.passOn(request, response),
      logger,
    });
    endpoints.install(this.paths);
    return endpoints;
  }

  /** Unknown paths get 503 instead of 404 until the returned function is called. */
  holdUnknownPaths(): () => void {
    return this.#requests.holdUnknownPaths();
  }

  // Life cycle

  /** Adds a hook that runs when the server has started. The server is not ready until it resolves. Throws Error when the name is taken. */
  addPostStartHook(name: string, hook: PostStartHook): void {
    this.#lifecycle.addPostStartHook(name, hook);
  }

  /** Adds a hook that runs when shutdown begins, before connections are drained. */
  addPreShutdownHook(name: string, hook: ShutdownHook): void {
    this.#lifecycle.addPreShutdownHook(name, hook);
  }

  /** Adds a hook that runs when all requests are answered and all connections are closed. Stores are closed in such a hook. */
  addPostShutdownHook(name: string, hook: ShutdownHook): void {
    this.#lifecycle.addPostShutdownHook(name, hook);
  }

  /**
   * Opens the port and, if configured, the link socket, then starts the post-start hooks. Resolves to the port's address. Rejects
   * with Node's error when a port or socket cannot be opened. A worker of several opens them when its hooks have finished, so that every connection
   * that it gets can be served. `servers` are those of this process, if there are more.
   */
  async listen(servers: readonly GenericApiServer[] = [this]): Promise<AddressInfo> {
    const { worker, serving } = this.config;
    const allStarted = () => Promise.all(servers.map((server) => server.started));
    const open = this.#lifecycle.makePorts(this.#portHandlers());
    const startAt = (port: number) => this.#lifecycle.start(this.#loopbackAt(localUrl(serving.bindAddress, port)));
    if (worker === undefined || worker.opensEarly) {
      const address = await open();
      startAt(address.port);
      if (worker !== undefined) void allStarted().then(() => worker.started());
      return address;
    }
    startAt(serving.port);
    await allStarted();
    await worker.started();
    return open();
  }

  /**
   * Starts the post-start hooks of a server that is reached only through the previous server of the same process. `chainUrl` is the URL at
   * which the chain listens, e.g. `https://127.0.0.1:6443`.
   */
  startWithoutPort(chainUrl: string): void {
    this.#lifecycle.start(this.#loopbackAt(chainUrl));
  }

  /** Resolves when every post-start hook has finished. The failure of a hook is reported to `onFatal` instead. */
  get started(): Promise<void> {
    return this.#lifecycle.started;
  }

  /** Resolves when what the hooks do after that has been done, too: the server writes nothing more until something changes, or a period is over. */
  get rested(): Promise<void> {
    return this.#lifecycle.rested;
  }

  /** How many requests the server had, and how many objects it has; a list, as of a chain of servers. */
  async activity(): Promise<readonly ServerActivity[]> {
    return [await activityOf(this.metrics)];
  }

  /** How the server calls itself. Throws Error before the server is started. */
  get loopback(): LoopbackConfig {
    return this.#lifecycle.loopback;
  }

  /** Aborts when shutdown begins. */
  get stopping(): AbortSignal {
    return this.#lifecycle.stopping;
  }

  /**
   * Fails readiness, drains short requests for `patienceMs` milliseconds (default: the request timeout), ends watches and closes
   * connections. Every call returns the same promise.
   */
  shutdown(patienceMs?: number): Promise<void> {
    return this.#lifecycle.shutdown(patienceMs);
  }

  /** Adds what `refreshFollowed` keeps up to date. */
  addFollowed(followed: Followed): void {
    this.#followed.push(followed);
  }

  /** Applies every write acknowledged before the call to what this server knows from objects in etcd. Rejects with the errors of a read. */
  async refreshFollowed(signal?: AbortSignal): Promise<void> {
    await Promise.all(this.#followed.map((each) => each.refresh(signal)));
  }

  // Requests that arrive without a port. Requests from a port go from `#portHandlers` to the request handler.

  /** Serves a request passed on by the previous server of the same process: no filters, the scope is on the request. */
  serveDelegated(request: IncomingMessage, response: ServerResponse): Promise<void> {
    return this.#requests.handleDelegated(request, response);
  }

  /** Serves requests of a further port of this process through all filters. `messages` are the classes that its HTTP server must use. */
  get furtherPort(): Pick<PortHandlers, 'messages' | 'serve'> {
    return {
      messages: this.#requests.messages,
      serve: (request, response, upgrade) => this.#requests.handleFromPort(request, response, upgrade),
    };
  }

  /** Serves a request that the chain makes in process: no filters, all permissions. */
  serveInternal(request: IncomingMessage, response: ServerResponse): void {
    this.#requests.handleInternal(request, response);
  }

  #portHandlers(): PortHandlers {
    const { requestHeader, chainProxies } = this.config;
    return {
      messages: this.#requests.messages,
      serve: (request, response, upgrade) => this.#requests.handleFromPort(request, response, upgrade),
      serveInternal: (request, response) => this.#requests.handleInternal(request, response),
      isFromChain: (socket) => {
        if (!isChainProxy(chainProxies, socket)) return false;
        return requestHeader?.vouches?.(socket) === true;
      },
      handshakeFailed: () => this.#requestMetrics.recordHandshakeError(),
    };
  }

  #loopbackAt(url: string): LoopbackConfig {
    const { token } = this.#loopbackAuthenticator;
    return {
      url,
      token,
      ca: this.config.serving.certificate,
      connect: (userAgent = 'apichain') =>
        this.#counted(
          inProcessTransport(
            (request, response) => this.#requests.handle(request, response, undefined),
            { 'User-Agent': userAgent, Authorization: `Bearer ${token}` },
            this.#requests.messages,
          ),
          new URL(url).host,
        ),
    };
  }
}

/** The URL by which a client on this host reaches a port bound to the address. */
function localUrl(bindAddress: string, port: number): string {
  const host = ['0.0.0.0', '::', ''].includes(bindAddress) ? '127.0.0.1' : bindAddress;
  return `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
