import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough, type Duplex, type Readable } from 'node:stream';
import { isStatusError, newBadRequest } from '@apichain/meta';
import { systemPrivilegedGroup, type UserInfo } from '@apichain/authn';
import type { Dispatcher } from 'undici';
import { relayUpgrade } from '../backend/upgrade.ts';
import type { DelegatedDocument, DelegationTarget } from '../delegation.ts';
import { readBody } from '../negotiation/read-body.ts';
import { scopeOf, type RequestScope } from '../request-scope.ts';
import { writeStatusError } from '../responses.ts';
import { writeUnavailable } from './unavailable.ts';
import { keepSent, relayHeader, wantedOf } from '../audit/relay.ts';
import { appendIdentity, forwardedHeaders, returnedHeaders } from './forwarded-headers.ts';
import {
  openConnections,
  type Connections,
  type HttpDelegationOptions,
  type LinkIdentity,
} from './link-connections.ts';
import { PassedOnAnswer } from './passed-on-answer.ts';
import { ShortExchange, isShort } from './short-exchange.ts';
import { StreamingExchange } from './streaming-exchange.ts';

const chainUser: UserInfo = { name: 'system:apichain', uid: '', groups: [systemPrivilegedGroup], extra: {} };
const fetchTimeoutMs = 5_000;

const methodsWithoutBody: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * The link to the next service: keep-alive connections with the front-proxy certificate, aborts passed on. Requests go over a pool of its
 * own (`link/`), which costs a fraction of a general HTTP client; only HEAD and bodies too large to be held go through undici's dispatcher.
 */
export class HttpDelegationTarget implements DelegationTarget {
  readonly #host: string;
  readonly #options: HttpDelegationOptions;
  #connections: Connections;
  /** Of earlier certificates: what is under way there ends there. */
  readonly #retired = new Set<Connections>();

  constructor(options: HttpDelegationOptions) {
    this.#options = options;
    this.#connections = openConnections(options);
    this.#host = new URL(this.#connections.origin).host;
  }

  /** Other certificates for connections from now on. Throws Error, and changes nothing, when one cannot be used. */
  reload(identity: LinkIdentity): void {
    const { url, serverName } = this.#options;
    const retired = this.#connections;
    this.#connections = openConnections({ ...identity, url, ...(serverName === undefined ? {} : { serverName }) });
    this.#retired.add(retired);
    retired.link.retire();
    void retired.pool.close().then(() => this.#retired.delete(retired));
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const scope = scopeOf(request);
    if (scope.audit !== undefined) keepSent(request, scope);
    let body: Body;
    try {
      body = await bodyOf(request);
    } catch (error) {
      writeStatusError(request, response, isStatusError(error) ? error : newBadRequest(String(error)));
      return;
    }
    if ((body === null || Buffer.isBuffer(body)) && request.method !== 'HEAD') {
      const Exchange = isShort(request, scope) ? ShortExchange : StreamingExchange;
      await new Exchange(this.#connections.link, this.#host, request, response, scope).send(body ?? undefined);
      return;
    }
    await new Promise<void>((resolve) => {
      this.#dispatch(new GeneralExchange(scope, request, response, resolve), body, true);
    });
    discardRest(request);
  }

  #dispatch(exchange: GeneralExchange, body: Body, mayRetry: boolean): void {
    const { request } = exchange;
    const options: Dispatcher.DispatchOptions = {
      path: request.url ?? '/',
      method: request.method ?? 'GET',
      headers: exchange.headers(),
      body,
      // Otherwise undici gives up the connection after every DELETE with a body, and a TLS handshake costs more than the request.
      reset: false,
    };
    exchange.onConnectionLost = (error) => {
      const repeatable = mayRetry && methodsWithoutBody.has(options.method) && isStale(error);
      if (repeatable) this.#dispatch(exchange, body, false);
      else exchange.unavailable(error);
    };
    this.#connections.pool.dispatch(options, exchange);
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const scope = scopeOf(request);
    scope.initialized();
    const { agent, origin, socketPath } = this.#connections;
    const { protocol, hostname, port, host } = new URL(origin);
    const headers = forwardedHeaders(request, scope);
    headers.push('Connection', 'Upgrade', 'Upgrade', request.headers.upgrade ?? '', 'Host', host);
    const secure = protocol === 'https:';
    const next = {
      protocol: secure ? ('https:' as const) : ('http:' as const),
      host: hostname.replaceAll(/[[\]]/g, ''),
      port: port === '' ? (secure ? 443 : 80) : Number(port),
      // As the client wrote it, for it was authorized as that: read as a URL it might name another host, or after `..` another namespace.
      path: request.url ?? '/',
      agent,
    };
    const { method = 'GET' } = request;
    return relayUpgrade(next, { method, headers, ...(socketPath === undefined ? {} : { socketPath }) }, socket, head);
  }

  async fetch(path: string, headers: Readonly<Record<string, string>> = {}): Promise<DelegatedDocument> {
    const answer = await this.#connections.pool.request({
      path,
      method: 'GET',
      headers: appendIdentity(Object.entries(headers).flat(), chainUser),
      headersTimeout: fetchTimeoutMs,
      bodyTimeout: fetchTimeoutMs,
    });
    const body = Buffer.from(await answer.body.arrayBuffer());
    const received: Record<string, string> = {};
    for (const [name, value] of Object.entries(answer.headers)) {
      if (value !== undefined) received[name] = Array.isArray(value) ? value.join(', ') : value;
    }
    return { status: answer.statusCode, headers: received, body };
  }

  async close(): Promise<void> {
    for (const { agent, link, pool } of [this.#connections, ...this.#retired]) {
      agent.destroy();
      link.close();
      await pool.destroy();
    }
  }
}

function hasBody(request: IncomingMessage): boolean {
  const length = request.headers['content-length'];
  if (length !== undefined) return length !== '0';
  if (request.httpVersionMajor === 2) return !methodsWithoutBody.has(request.method ?? 'GET') && !request.readableEnded;
  return request.headers['transfer-encoding'] !== undefined;
}

type Body = Buffer | Readable | null;

/** Bodies up to this size are read before they are sent on: one write instead of a stream. */
const maxBufferedBody = 256 * 1024;

/** Throws BadRequest when the client goes away in the middle of a small body. */
async function bodyOf(request: IncomingMessage): Promise<Body> {
  if (!hasBody(request)) return null;
  if (Number(request.headers['content-length'] ?? Number.NaN) <= maxBufferedBody) return readBody(request);
  // Never the request itself: undici takes it off its socket when the answer comes before all of the body was read, and
  // then nobody reads on, so that the client's next request on the connection is never seen.
  const body = new PassThrough();
  request.pipe(body);
  request.once('error', (error) => body.destroy(error));
  request.once('close', () => {
    if (!request.complete) body.destroy(new Error('the client went away'));
  });
  return body;
}

/** What the next server did not want to read must not stand before the client's next request. */
function discardRest(request: IncomingMessage): void {
  if (request.complete && request.readableEnded) return;
  request.unpipe();
  request.resume();
}

/** A kept connection that the other side had closed meanwhile. */
function isStale(error: Error): boolean {
  const code = 'code' in error ? error.code : undefined;
  return code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE';
}

/** One request on its way: undici's callbacks on one side, our response on the other. */
class GeneralExchange implements Dispatcher.DispatchHandler {
  readonly scope: RequestScope;
  readonly request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #answer: PassedOnAnswer;
  readonly #done: () => void;
  onConnectionLost: (error: Error) => void = () => undefined;

  constructor(scope: RequestScope, request: IncomingMessage, response: ServerResponse, done: () => void) {
    this.scope = scope;
    this.request = request;
    this.#response = response;
    this.#answer = new PassedOnAnswer(scope, response);
    this.#done = done;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.scope.onAbort((reason) => controller.abort(reason instanceof Error ? reason : new Error(String(reason))));
  }

  headers(): string[] {
    const { audit } = this.scope;
    const headers = forwardedHeaders(this.request, this.scope);
    if (audit !== undefined) headers.push(relayHeader, wantedOf(audit));
    return headers;
  }

  onResponseStart(controller: Dispatcher.DispatchController, statusCode: number): void {
    if (statusCode < 200) return;
    const raw = controller.rawHeaders;
    this.#answer.begin(statusCode, returnedHeaders(Array.isArray(raw) ? raw : []));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#answer.write(chunk) || controller.paused) return;
    controller.pause();
    this.#response.once('drain', () => controller.resume());
  }

  onResponseEnd(): void {
    this.#answer.end();
    this.#done();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#answer.breakOff()) this.#done();
    else this.onConnectionLost(error);
  }

  unavailable(error: Error): void {
    writeUnavailable(this.request, this.#response, error);
    this.#done();
  }
}
