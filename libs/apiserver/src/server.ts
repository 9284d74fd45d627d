import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isChainProxy } from '@apichain/authn';
import { newInternalError, type GroupVersion } from '@apichain/meta';
import type { Express } from 'express';
import { Registry } from 'prom-client';
import { AuditMetrics } from '@apichain/audit';
import type { ApiGroupInfo, GroupPriorities, GroupVersionHandler } from './api-group.ts';
import { Director } from './director.ts';
import { DiscoveryRegistry, defaultPriorities } from './discovery/registry.ts';
import { DiscoveryEndpoints } from './discovery/endpoints.ts';
import { apiResources } from './discovery/resources.ts';
import type { ApiResource } from './discovery/types.ts';
import type { Filter } from '@apichain/request';
import type { ErrorFilter } from './filters/panic-recovery.ts';
import { inOneLayer } from './filters/in-one-layer.ts';
import { InFlightRequests } from './filters/in-flight-requests.ts';
import { requestLimit } from './request-limit.ts';
import { GracefulShutdown, type ShutdownHook } from './graceful-shutdown.ts';
import { runForRequest } from '@apichain/request';
import { buildChain, type Chain, type ChainParts } from './handler-chain.ts';
import { headRefusal, refusalText } from '@apichain/serving';
import { HealthChecks } from '@apichain/observability';
import { PostStartHooks, type PostStartHook } from '@apichain/observability';
import { createApp, createHttp2App, type HttpApp } from '@apichain/request';
import { inProcessTransport } from './in-process-transport.ts';
import { LoopbackAuthenticator, type LoopbackConfig } from '@apichain/request';
import { levelOf } from '@apichain/request';
import { AccessMetrics } from '@apichain/observability';
import { healthMetrics } from '@apichain/observability';
import { installFeatureMetrics, installProcessMetrics } from '@apichain/observability';
import { RequestMetrics } from './filters/request-metrics.ts';
import { OpenApiEndpoints } from './openapi/endpoints.ts';
import type { OpenApiEncoders, OpenApiSource } from './openapi/source.ts';
import type { PathMux } from '@apichain/request';
import { Ports } from './ports.ts';
import { endWithResponse, enter, type Upgrade } from './request-entry.ts';
import { parseRequestInfo, isLongRunning, type RequestInfo } from '@apichain/request';
import { findScope, type RequestScope } from '@apichain/request';
import { installSystemPaths } from './system-paths.ts';
import { writeNotFound, writeText } from '@apichain/request';
import type { ServerConfig } from './server-config.ts';
import { serverVersion } from '@apichain/request';

/** They are done when what they follow is known. */
const informerHooks: readonly string[] = ['generic-apiserver-start-informers', 'start-apiserver-admission-initializer'];

/**
 * A Kubernetes API server without an API of its own: listener, handler chain, routing, discovery, health, metrics, shutdown.
 * Install groups and paths, then `listen()`. After k8s.io/apiserver/pkg/server.GenericAPIServer.
 */
export class GenericApiServer {
  readonly config: ServerConfig;
  readonly discovery = new DiscoveryRegistry();
  readonly discoveryEndpoints: DiscoveryEndpoints;
  readonly health: HealthChecks;
  readonly metrics: Registry;
  /** Of `/metrics/slis`. */
  readonly slis = new Registry();
  readonly #director: Director;
  readonly #hooks: PostStartHooks;
  readonly #inFlight = new InFlightRequests();
  readonly #loopbackAuthenticator: LoopbackAuthenticator;
  readonly #http1App: HttpApp;
  readonly #http2App: Express;
  readonly #started = Promise.withResolvers<void>();
  #layer: Filter = (_request, _response, next) => next();
  #layerFilters: () => void = () => undefined;
  #onError: ErrorFilter = (_error, _request, response) => response.destroy();
  #requestMetrics: RequestMetrics | undefined;
  #muxComplete = true;
  readonly #shutdown: GracefulShutdown;
  #ports: Ports | undefined;
  #loopback: LoopbackConfig | undefined;

  constructor(config: ServerConfig) {
    this.config = config;
    this.#shutdown = new GracefulShutdown({
      limits: config.limits,
      logger: config.logger,
      inFlight: this.#inFlight,
      isReachable: () => this.#ports !== undefined,
      stopAccepting: () => this.#ports?.stopAccepting(),
      breakConnections: () => this.#breakConnections(),
      close: () => this.#close(),
    });
    this.#loopbackAuthenticator = new LoopbackAuthenticator(config.authenticator);
    this.metrics = config.metricsRegistry ?? new Registry();
    this.#director = new Director(config.delegate);
    installProcessMetrics(this.metrics, config.version ?? serverVersion);
    if (config.features !== undefined) {
      installFeatureMetrics(this.metrics, config.features.known, config.features.given);
    }
    this.health = new HealthChecks(
      (probe, failures) => config.logger.info({ probe, failures }, 'health check failed'),
      healthMetrics(this.slis),
    );
    // The server calls itself without a connection, so there is no certificate that could expire: the name is there for those who exclude it.
    this.health.add({ name: 'loopback-serving-certificate', check: () => undefined }, ['healthz', 'livez']);
    this.#hooks = new PostStartHooks(this.health, config.limits.livezGraceMs);
    for (const [name, hook] of config.postStartHooks ?? []) this.#hooks.add(name, hook);
    this.#http1App = createApp();
    this.#http2App = createHttp2App();
    config.audit?.acquire();
    (config.audit?.metrics ?? new AuditMetrics()).register(this.metrics);
    this.#installFilters();
    this.health.install(this.paths);
    installSystemPaths(this.paths, {
      metrics: this.metrics,
      slis: this.slis,
      pages: config.pages ?? { profiling: true, statusz: true },
      ...(config.delegate === undefined ? {} : { delegate: config.delegate }),
      passOn: (request, response) => this.#director.passOn(request, response),
      setVerbosity: (verbosity) => this.#setVerbosity(verbosity),
      ...(config.version === undefined ? {} : { version: config.version }),
    });
    this.discoveryEndpoints = new DiscoveryEndpoints(this.discovery, config.delegate, config.logger);
    this.discoveryEndpoints.install(this.paths);
  }

  /** Paths outside the installed groups: `/version`, `/openapi/v2`, whole subtrees. */
  get paths(): PathMux {
    return this.#director.paths;
  }

  /** Throws Error before `listen()` or `start()`. */
  get loopback(): LoopbackConfig {
    if (this.#loopback === undefined) throw new Error('the server has not been started yet');
    return this.#loopback;
  }

  /** Aborts when shutdown begins. */
  get stopping(): AbortSignal {
    return this.#shutdown.initiated;
  }

  /** Whether this server, or a later one in the same process, has the resource that a request is about. */
  serves(info: RequestInfo): boolean {
    return this.#director.serves(info) || this.config.delegate?.serves?.(info) === true;
  }

  #installFilters(): void {
    const { config } = this;
    const requestMetrics = new RequestMetrics(this.metrics, (scope) => this.serves(scope.requestInfo));
    this.#requestMetrics = requestMetrics;
    const limit = requestLimit({
      config,
      metrics: this.metrics,
      paths: this.paths,
      addHook: (name, hook) => this.#hooks.add(name, hook),
      // Without a port only the chain itself comes by its filters, and that is exempt.
      isReachable: () => this.#ports !== undefined,
      onDrop: (scope) => requestMetrics.recordTermination(scope, 429),
    });
    requestMetrics.watchInFlight(this.metrics, this.#inFlight, limit);
    const parts: ChainParts = {
      config,
      authenticator: this.#loopbackAuthenticator,
      authorizer: config.authorizer,
      inFlight: this.#inFlight,
      limit,
      metrics: requestMetrics,
      access: new AccessMetrics(this.metrics),
      isDelayOver: () => this.#shutdown.isDelayOver,
    };
    const toDirector: Filter = (request, response, next) => {
      this.#director.route(request, response).catch(next);
    };
    const layered = ({ filters }: Chain) => inOneLayer([...filters, toDirector]);
    const chain = buildChain(parts);
    this.#onError = chain.onError;
    this.#layer = layered(chain);
    this.#layerFilters = () => {
      this.#layer = layered(buildChain(parts));
    };
    for (const app of [this.#http1App.app, this.#http2App]) {
      app.use((request, response, next) => this.#layer(request, response, next));
      app.use(chain.onError);
    }
  }

  /** `--v` from now on. Which filters there are depends on it. */
  #setVerbosity(verbosity: number): void {
    this.config.logger.level = levelOf(verbosity);
    this.#layerFilters();
  }

  /** Installs every version of the group through the configured installer. Call before `listen()`. */
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

  /** Adds or replaces one group-version while the server runs, e.g. of a CustomResourceDefinition. */
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

  /** Serves `/openapi/v2` and `/openapi/v3` from the source, joined with what the next server has. */
  installOpenApi(source: OpenApiSource, encoders: OpenApiEncoders): OpenApiEndpoints {
    const { delegate, logger } = this.config;
    const endpoints = new OpenApiEndpoints({
      source,
      encoders,
      ...(delegate === undefined ? {} : { delegate }),
      passOn: (_context, request, response) => this.#director.passOn(request, response),
      logger,
    });
    endpoints.install(this.paths);
    return endpoints;
  }

  addPostStartHook(name: string, hook: PostStartHook): void {
    this.#hooks.add(name, hook);
  }

  /** Runs when shutdown begins, before connections are drained. */
  addPreShutdownHook(name: string, hook: ShutdownHook): void {
    this.#shutdown.addPreShutdownHook(name, hook);
  }

  /** Runs when everything is answered and closed: the place to close what requests were served from. */
  addPostShutdownHook(name: string, hook: ShutdownHook): void {
    this.#shutdown.addPostShutdownHook(name, hook);
  }

  /** Until the returned function is called, unknown paths answer 503 instead of 404. */
  holdUnknownPaths(): () => void {
    this.#muxComplete = false;
    return () => {
      this.#muxComplete = true;
    };
  }

  /** Opens the port, and the socket of the link if there is one, and starts the post-start hooks. Rejects with Node's error when the port cannot be opened. */
  async listen(): Promise<AddressInfo> {
    const { serving, debugSocketPath, requestHeader, chainProxies } = this.config;
    const { IncomingMessage, ServerResponse } = this.#http1App;
    this.#ports = new Ports(serving, debugSocketPath, {
      messages: { IncomingMessage, ServerResponse },
      serve: (request, response, upgrade) => {
        const refusal = headRefusal(request);
        if (refusal === undefined) this.#serve(request, response, upgrade);
        else writeText(response, refusal, refusalText[refusal], closing(request));
      },
      serveInternal: (request, response) => this.serveInternal(request, response),
      isFromChain: (socket) => {
        if (!isChainProxy(chainProxies, socket)) return false;
        const certificate = socket.getPeerX509Certificate();
        return certificate !== undefined && requestHeader?.vouches?.(certificate) === true;
      },
      handshakeFailed: () => this.#requestMetrics?.recordHandshakeError(),
    });
    const address = await this.#ports.open();
    const host = ['0.0.0.0', '::', ''].includes(serving.bindAddress) ? '127.0.0.1' : serving.bindAddress;
    this.start(`https://${host.includes(':') ? `[${host}]` : host}:${address.port}`);
    return address;
  }

  /**
   * Starts the post-start hooks; `listen()` does this by itself. Called directly for a server without a port, which is reached through the one
   * before it in the same process: `url` is then where that chain listens.
   */
  start(url: string): void {
    const { delegate, serving } = this.config;
    if (delegate !== undefined) this.health.include(delegate);
    this.health.add({ name: 'informer-sync', check: () => this.#hooks.check(informerHooks) }, ['readyz']);
    this.health.add({ name: 'shutdown', check: () => this.#shutdown.check() }, ['readyz']);
    const { token } = this.#loopbackAuthenticator;
    this.#loopback = {
      url,
      token,
      ca: serving.certificate,
      connect: (userAgent = 'apichain') =>
        inProcessTransport((request, response) => this.#serve(request, response, undefined), {
          'User-Agent': userAgent,
          Authorization: `Bearer ${token}`,
        }),
    };
    const { logger, files } = this.config;
    files?.run(this.stopping, logger);
    // What the hooks keep up to date is needed for as long as requests come.
    const context = { signal: this.#shutdown.notAccepting, loopback: this.#loopback, logger };
    this.#started.resolve(this.#hooks.run(context, (name, error) => this.#onHookFailure(name, error)));
  }

  /** Resolves when every post-start hook has finished; a hook that fails is told to `onFatal` instead. */
  get started(): Promise<void> {
    return this.#started.promise;
  }

  #onHookFailure(name: string, error: unknown): void {
    if (this.stopping.aborted) return;
    this.config.logger.fatal({ hook: name, err: error }, 'post-start hook failed');
    this.config.onFatal?.(error instanceof Error ? error : new Error(String(error)));
  }

  #serve(request: IncomingMessage, response: ServerResponse, upgrade: Upgrade | undefined): void {
    const scope = enter(request, response, this.config.protobuf);
    if (scope === undefined) {
      writeText(response, 400, '400 Bad Request');
      return;
    }
    scope.pendingUpgrade = upgrade;
    scope.muxIncomplete = !this.#muxComplete;
    endWithResponse(scope);
    this.#failAlone(scope);
    const app = request.httpVersionMajor === 2 ? this.#http2App : this.#http1App.app;
    runForRequest(scope, () => void app(request, response));
  }

  /** What an error of a request that no handler has caught costs: its answer, or its connection where that was taken over. */
  #failAlone(scope: RequestScope): void {
    const { request, response } = scope;
    scope.report = (error) =>
      this.config.logger.error({ err: error, auditID: scope.auditId, uri: request.url }, 'a part of a request failed');
    scope.onFailure = (error) => {
      this.#onError(error, request, response, () => undefined);
      scope.abort(newInternalError(error instanceof Error ? error.message : String(error)));
      if (scope.taken) request.socket.destroy();
    };
  }

  /** For the server before this one in the same process: no filters, the scope is on the request. */
  async serveDelegated(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const scope = findScope(request);
    if (scope !== undefined && !this.#muxComplete) scope.muxIncomplete = true;
    await this.#director.route(request, response);
  }

  /** For requests that the chain itself makes in process. */
  serveInternal(request: IncomingMessage, response: ServerResponse): void {
    const scope = enter(request, response, this.config.protobuf);
    if (scope === undefined) {
      writeNotFound(response);
      return;
    }
    scope.requestInfo = parseRequestInfo(request.method ?? 'GET', scope.path, scope.query);
    scope.longRunning = isLongRunning(scope.requestInfo);
    scope.user = this.#loopbackAuthenticator.user;
    scope.delegated = true;
    response.on('close', () => scope.finish());
    scope.onFailure = (error) => {
      this.config.logger.error({ err: error, uri: request.url }, 'internal request failed');
      response.destroy();
    };
    runForRequest(scope, () => {
      this.#director.route(request, response).catch((error: unknown) => scope.fail(error));
    });
  }

  /**
   * Fails readiness, drains short requests for `patienceMs` milliseconds (as long as a request may take unless it is given), ends watches, closes
   * connections; the same promise whoever calls it.
   */
  shutdown(patienceMs?: number): Promise<void> {
    return this.#shutdown.run(patienceMs);
  }

  async #breakConnections(): Promise<void> {
    this.#ports?.close();
    await this.config.delegate?.close();
  }

  async #close(): Promise<void> {
    await this.config.tracer?.close();
    await this.config.audit?.release();
  }
}

/** Who sends what cannot be read is not read on; HTTP/2 has no such header. */
const closing = ({ httpVersionMajor }: IncomingMessage): Record<string, string> =>
  httpVersionMajor === 1 ? { Connection: 'close' } : {};
