import type { IncomingMessage, ServerResponse } from 'node:http';
import { currentSpan, runInSpan } from '@apichain/client';
import { errorMessage, newInternalError } from '@apichain/meta';
import {
  createApp,
  createHttp2App,
  findScope,
  formatsWithCbor,
  isLongRunning,
  parseRequestInfo,
  runForRequest,
  ServerRuntime,
  standardFormats,
  writeNotFound,
  writeText,
  type Filter,
  type HttpApp,
  type RequestScope,
} from '@apichain/request';
import { headRefusal, refusalText, type LinkHandlers } from '@apichain/serving';
import type { Express } from 'express';
import type { Director } from './director.ts';
import { inOneLayer } from './filters/in-one-layer.ts';
import type { ErrorFilter } from './filters/panic-recovery.ts';
import { buildChain, type ChainParts } from './handler-chain.ts';
import type { ServerConfig } from './server-config.ts';
import { makeWorkers } from './workers.ts';
import { endWithResponse, enter, type Upgrade } from '@apichain/request';

/**
 * Runs every request of one server through the filters (see `buildChain`) and then the director. After
 * APIServerHandler of k8s.io/apiserver/pkg/server/handler.go.
 */
export class RequestHandler {
  readonly #parts: ChainParts;
  readonly #director: Director;
  readonly #runtime: ServerRuntime;
  readonly #http1App: HttpApp = createApp();
  readonly #http2App: Express = createHttp2App();
  readonly #onError: ErrorFilter;
  /** All filters and the director, combined into one filter. */
  #filters: Filter;
  #knowsAllPaths = true;

  constructor(parts: ChainParts, director: Director) {
    this.#parts = parts;
    this.#director = director;
    this.#runtime = runtimeOf(parts.config);
    const chain = buildChain(parts);
    this.#onError = chain.onError;
    this.#filters = this.#inFrontOfDirector(chain.filters);
    for (const app of [this.#http1App.app, this.#http2App]) {
      app.use((request, response, next) => this.#filters(request, response, next));
      app.use(chain.onError);
    }
  }

  /** The worker threads of the server, made when they are needed first. */
  get workers(): ServerRuntime['workers'] {
    return this.#runtime.workers;
  }

  /** The HTTP/1 message classes that the filters require. */
  get messages(): LinkHandlers['messages'] {
    const { IncomingMessage, ServerResponse } = this.#http1App;
    return { IncomingMessage, ServerResponse };
  }

  #inFrontOfDirector(filters: readonly Filter[]): Filter {
    const toDirector: Filter = (request, response, next) => {
      this.#director.route(request, response).catch(next);
    };
    return inOneLayer([...filters, toDirector]);
  }

  /** Rebuilds the filters, because the log level decides which filters there are. */
  rebuildFilters(): void {
    this.#filters = this.#inFrontOfDirector(buildChain(this.#parts).filters);
  }

  /** Unknown paths get 503 instead of 404 until the returned function is called. */
  holdUnknownPaths(): () => void {
    this.#knowsAllPaths = false;
    return () => {
      this.#knowsAllPaths = true;
    };
  }

  /** Handles a request from a port. A request whose head is too large is refused before it is processed. */
  handleFromPort(request: IncomingMessage, response: ServerResponse, upgrade: Upgrade | undefined): void {
    const refusal = headRefusal(request);
    if (refusal === undefined) this.handle(request, response, upgrade);
    else writeText(response, refusal, refusalText[refusal], closingHeaders(request));
  }

  /** Runs a request through all filters. `upgrade` is the connection of a request that asks for another protocol. */
  handle(request: IncomingMessage, response: ServerResponse, upgrade: Upgrade | undefined): void {
    const scope = enter(request, response, this.#runtime);
    if (scope === undefined) {
      writeText(response, 400, '400 Bad Request');
      return;
    }
    scope.pendingUpgrade = upgrade;
    scope.muxIncomplete = !this.#knowsAllPaths;
    endWithResponse(scope);
    this.#containFailures(scope);
    const app = request.httpVersionMajor === 2 ? this.#http2App : this.#http1App.app;
    runForRequest(scope, () => void app(request, response));
  }

  /** An uncaught error fails only its own request: the client gets an error, or its connection is closed if a handler has taken it over. */
  #containFailures(scope: RequestScope): void {
    const { request, response } = scope;
    scope.report = (error) =>
      this.#parts.config.logger.error(
        { err: error, auditID: scope.auditId, uri: request.url },
        'a part of a request failed',
      );
    scope.onFailure = (error) => {
      this.#onError(error, request, response, () => undefined);
      scope.abort(newInternalError(errorMessage(error)));
      if (scope.taken) request.socket.destroy();
    };
  }

  /** Handles a request that the previous server of this process does not serve. Its filters have already run, and the scope is on the request. */
  async handleDelegated(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const scope = findScope(request);
    if (scope !== undefined && !this.#knowsAllPaths) scope.muxIncomplete = true;
    const { name } = this.#parts.config;
    scope?.times?.enter(name);
    const span = currentSpan()?.child(name, 'internal');
    if (span === undefined) return this.#director.route(request, response);
    await runInSpan(span, () => this.#director.route(request, response)).finally(() => span.end());
  }

  /** Handles a request that the chain makes in process: no filters, all permissions. */
  handleInternal(request: IncomingMessage, response: ServerResponse): void {
    const { authenticator, config } = this.#parts;
    const scope = enter(request, response, this.#runtime);
    if (scope === undefined) {
      writeNotFound(response);
      return;
    }
    scope.requestInfo = parseRequestInfo(request.method ?? 'GET', scope.path, scope.query);
    scope.longRunning = isLongRunning(scope.requestInfo);
    scope.user = authenticator.user;
    scope.delegated = true;
    scope.isInternal = true;
    response.on('close', () => scope.finish());
    scope.onFailure = (error) => {
      config.logger.error({ err: error, uri: request.url }, 'internal request failed');
      response.destroy();
    };
    runForRequest(scope, () => {
      this.#director.route(request, response).catch((error: unknown) => scope.fail(error));
    });
  }
}

/** A request whose head was refused is not read to its end, so an HTTP/1 connection cannot be reused. HTTP/2 has no such header. */
const closingHeaders = ({ httpVersionMajor }: IncomingMessage): Record<string, string> =>
  httpVersionMajor === 1 ? { Connection: 'close' } : {};

const runtimeOf = ({ features, protobuf }: ServerConfig): ServerRuntime =>
  new ServerRuntime({
    formats: features?.isOpen('CBORServingAndStorage') === true ? formatsWithCbor : standardFormats,
    protobuf,
    makeWorkers,
  });
