import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { AuthenticationUnavailableError, type UserInfo } from '@apichain/authn';
import { pathAttributes, type AuthorizationAttributes, type Authorizer } from '@apichain/authz';
import { errorMessage, isStatusError, newServiceUnavailable, newUnauthorized } from '@apichain/meta';
import { parseQuery, splitUrl, writeRawJson, writeText, type RequestRecord, type Upgrade } from '@apichain/request';
import { http1Limits, parserLimits, respondToClientError, UpgradedConnections } from '@apichain/serving';
import type { Asset, Assets } from './assets.ts';
import { consoleAddress, refusal, setSecurityHeaders, type ConsoleAddress } from './browser-security.ts';
import { joinWatches, watchesPath } from './joined-watches.ts';
import type { RecentRequests } from './recent-requests.ts';
import type { SessionAuthenticator } from './session-authenticator.ts';
import { cookieNameAt, SessionEndpoint, takeProofOfWebSocket } from './session-endpoint.ts';
import type { Session, Sessions } from './sessions.ts';

interface ConsoleOptions {
  /** 0 = any free port. */
  readonly port: number;
  readonly assets: Assets;
  readonly sessions: Sessions;
  /** Serves a request of the API through the whole handler chain of the server. */
  readonly api: {
    readonly messages: Pick<http.ServerOptions, 'IncomingMessage' | 'ServerResponse'>;
    readonly serve: (request: IncomingMessage, response: ServerResponse, upgrade: Upgrade | undefined) => void;
  };
  /** Checks the credentials of sessions. */
  readonly authenticator: SessionAuthenticator;
  /** For whom a request with Impersonate-* headers speaks. Rejects with Forbidden. */
  readonly impersonate: (request: IncomingMessage, attributes: AuthorizationAttributes) => Promise<UserInfo>;
  /** Decides who sees the requests of other users: who may `get` the path `/console/requests`. */
  readonly authorizer: Authorizer;
  readonly requests: RecentRequests;
}

/** By this name audit events and records tell the requests of the console from others. */
const userAgent = 'apichain-console';
const requestsPath = '/console/requests';
/** How often the credentials of sessions with open responses, such as watches, are checked. Those of requests are checked with each. */
const recheckMs = 10_000;

/** Headers with which a client claims to be somebody. Requests of a session have the identity of the session, and the name of the console. */
const identityHeader = /^(?:authorization|cookie|user-agent|x-remote-.*|impersonate-.*|x-apichain-.*)$/i;

/** The address of the console that has this port. */
export const consoleUrl = (port: number): string => `http://127.0.0.1:${port}/`;

/** Serves the console on a port of its own, which only this machine reaches. Plain HTTP: a browser trusts no certificate of the chain. */
export class ConsoleServer {
  readonly #options: ConsoleOptions;
  readonly #server: http.Server;
  readonly #session: SessionEndpoint;
  readonly #open = new OpenResponses();
  readonly #upgraded = new UpgradedConnections();
  #rechecks: NodeJS.Timeout | undefined;
  #address: ConsoleAddress = consoleAddress(0);
  #port = 0;

  constructor(options: ConsoleOptions) {
    this.#options = options;
    this.#session = new SessionEndpoint(options.sessions, options.authenticator);
    this.#server = http.createServer(
      { ...options.api.messages, ...http1Limits, shouldUpgradeCallback: isWebSocket },
      (request, response) => this.#handle(request, response),
    );
    this.#server.on('upgrade', (request, socket, head) =>
      this.#upgraded.take((...upgrade) => this.#upgrade(...upgrade), request, socket, head),
    );
    this.#server.maxHeadersCount = parserLimits.maxHeadersCount;
    this.#server.on('clientError', respondToClientError);
  }

  /** Opens the port on 127.0.0.1. Rejects with Node's error when it is taken. */
  async listen(): Promise<void> {
    const listening = once(this.#server, 'listening');
    this.#server.listen(this.#options.port, '127.0.0.1');
    await listening;
    const address = this.#server.address();
    this.#port = typeof address === 'object' && address !== null ? address.port : 0;
    this.#address = consoleAddress(this.#port);
    this.#session.cookieName = cookieNameAt(this.#port);
    this.#rechecks = setInterval(() => void this.recheck(), recheckMs).unref();
  }

  get url(): string {
    return consoleUrl(this.#port);
  }

  /** Ends the sessions that have expired, and those with open responses whose credentials are no longer valid. */
  async recheck(): Promise<void> {
    const { sessions, authenticator } = this.#options;
    sessions.endExpired();
    // A credential that is refused ends its session; one that cannot be checked now is checked again.
    await Promise.allSettled(this.#open.sessions.map((session) => authenticator.ownerOf(session)));
  }

  close(): void {
    clearInterval(this.#rechecks);
    this.#server.close();
    this.#server.closeAllConnections();
    this.#upgraded.destroy();
  }

  /** A WebSocket to the API, such as that of a command in a pod. */
  #upgrade(request: IncomingMessage, response: ServerResponse, socket: Duplex, head: Buffer): void {
    setSecurityHeaders(response, 'data');
    const path = splitUrl(request.url ?? '/')?.path ?? '';
    const problem = refusal(request, this.#address, true);
    const session = takeProofOfWebSocket(request) ? this.#session.sessionOf(request) : undefined;
    if (problem !== undefined) writeText(response, 403, `Forbidden: ${problem}\n`);
    else if (session === undefined) writeRawJson(response, 401, newUnauthorized().status);
    else if (!/^\/apis?\//.test(path)) writeText(response, 404, 'not found\n');
    else {
      identify(request, session);
      this.#open.add(session, socket);
      this.#options.api.serve(request, response, { socket, head });
    }
  }

  #handle(request: IncomingMessage, response: ServerResponse): void {
    const path = splitUrl(request.url ?? '/')?.path ?? '';
    const asset = assetOf(this.#options.assets, path);
    setSecurityHeaders(response, asset === undefined ? 'data' : 'page');
    const problem = refusal(request, this.#address);
    if (problem !== undefined) writeText(response, 403, `Forbidden: ${problem}\n`);
    else if (asset !== undefined) sendAsset(asset, request, response);
    else if (path === '/console/session') this.#session.handle(request, response);
    else this.#handleInSession(path, request, response);
  }

  #handleInSession(path: string, request: IncomingMessage, response: ServerResponse): void {
    const session = this.#session.sessionOf(request);
    if (session === undefined) {
      const { status } = newUnauthorized();
      writeRawJson(response, 401, status);
    } else if (path === watchesPath) {
      this.#open.add(session, response);
      void joinWatches(request, response, this.#port);
    } else if (path.startsWith('/console/')) {
      identify(request, session);
      this.#handleOwn(path, session, request, response).catch((error: unknown) => {
        if (isStatusError(error)) writeRawJson(response, error.code, error.status);
        else writeText(response, 500, `${errorMessage(error)}\n`);
      });
    } else {
      identify(request, session);
      this.#open.add(session, response);
      this.#options.api.serve(request, response, undefined);
    }
  }

  async #handleOwn(path: string, session: Session, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { requests, impersonate } = this.#options;
    if (path !== requestsPath) {
      writeText(response, 404, 'not found\n');
      return;
    }
    const user = await impersonate(request, readsRequests(await this.#ownerOf(session)));
    const isAll = (await this.#options.authorizer.authorize(readsRequests(user))).decision === 'Allow';
    response.setHeader('Cache-Control', 'no-store');
    const query = parseQuery(request.url);
    const after = Math.max(0, query.integer('after') ?? 0);
    const items = requests.list({ user: isAll ? undefined : user.name, after });
    const isWritten = query.boolean('writes') === true ? isWrite : () => true;
    writeJson(response, { isAll, position: requests.position, items: items.filter(isWritten) });
  }

  async #ownerOf(session: Session): Promise<UserInfo> {
    try {
      return await this.#options.authenticator.ownerOf(session);
    } catch (error) {
      if (error instanceof AuthenticationUnavailableError) throw newServiceUnavailable(error.message, retrySeconds);
      throw newUnauthorized();
    }
  }
}

/** The authenticator may be available again after this time. */
const retrySeconds = 1;

const isWebSocket = ({ headers }: IncomingMessage): boolean => headers.upgrade?.toLowerCase() === 'websocket';

/** Whether a request may have changed an object. */
const isWrite = ({ method, code, resource }: RequestRecord): boolean =>
  resource !== undefined && method !== 'GET' && code < 300;

/** Asks whether a user may read the requests of all users. */
const readsRequests = (user: UserInfo): AuthorizationAttributes => pathAttributes(user, 'get', requestsPath);

/** Gives the request the identity of the session instead of any that it claims. */
function identify(request: IncomingMessage, { identity, pass }: Session): void {
  for (const name of Object.keys(request.headers)) if (identityHeader.test(name)) delete request.headers[name];
  const raw = request.rawHeaders;
  for (let i = raw.length - 2; i >= 0; i -= 2) if (identityHeader.test(raw[i] ?? '')) raw.splice(i, 2);
  const own = ['authorization', `Bearer ${pass}`, 'user-agent', userAgent, ...identity.impersonation];
  raw.push(...own);
  for (let i = 0; i + 1 < own.length; i += 2) {
    const name = (own[i] ?? '').toLowerCase();
    const values = [request.headers[name], own[i + 1]].filter((value) => value !== undefined);
    request.headers[name] = values.join(', ');
  }
}

const assetOf = (assets: Assets, path: string): Asset | undefined =>
  assets.get(path === '/' ? 'index.html' : path.slice(1));

function sendAsset(asset: Asset, { method, headers }: IncomingMessage, response: ServerResponse): void {
  if (method !== 'GET' && method !== 'HEAD') {
    writeText(response, 405, 'Method Not Allowed\n');
    return;
  }
  response.setHeader('ETag', asset.tag);
  response.setHeader('Cache-Control', 'no-cache');
  response.setHeader('Vary', 'Accept-Encoding');
  if (headers['if-none-match'] === asset.tag) {
    response.statusCode = 304;
    response.end();
    return;
  }
  const isCompressed = /\bbr\b/.test(String(headers['accept-encoding'] ?? ''));
  if (isCompressed) response.setHeader('Content-Encoding', 'br');
  const body = isCompressed ? asset.compressed : asset.bytes;
  response.writeHead(200, { 'Content-Type': asset.type, 'Content-Length': body.length });
  response.end(method === 'HEAD' ? undefined : body);
}

/** JSON in one line: the list of requests is long, and the page asks for it every two seconds. */
function writeJson(response: ServerResponse, value: unknown): void {
  response.setHeader('Content-Type', 'application/json');
  response.end(JSON.stringify(value));
}

/** A response, or the connection of a WebSocket. */
type OpenResponse = ServerResponse | Duplex;

/** The responses that are being sent to the pages of sessions. They end with their sessions: a watch would go on for hours. */
class OpenResponses {
  readonly #bySession = new Map<Session, Set<OpenResponse>>();

  add(session: Session, response: OpenResponse): void {
    const responses = this.#bySession.get(session) ?? this.#first(session);
    responses.add(response);
    response.once('close', () => responses.delete(response));
  }

  #first(session: Session): Set<OpenResponse> {
    const responses = new Set<OpenResponse>();
    this.#bySession.set(session, responses);
    const endAll = () => {
      this.#bySession.delete(session);
      // A response that tells why the session has ended is complete in this turn of the event loop.
      setImmediate(() => responses.forEach((response) => response.writableEnded || response.destroy()));
    };
    session.ended.addEventListener('abort', endAll, { once: true });
    return responses;
  }

  /** The sessions that have open responses. */
  get sessions(): readonly Session[] {
    return [...this.#bySession].filter(([, responses]) => responses.size > 0).map(([session]) => session);
  }
}
