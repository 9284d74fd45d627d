import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { errorMessage, newUnauthorized } from '@apichain/meta';
import { AuthenticationUnavailableError, type TokenAuthenticator, type UserInfo } from '@apichain/authn';
import type { Authorizer } from '@apichain/authz';
import { splitUrl, writeRawJson, writeText } from '@apichain/request';
import { answerClientError, http1Limits, parserLimits } from '@apichain/serving';
import type { Asset, Assets } from './assets.ts';
import type { RecentRequests } from './recent-requests.ts';
import { consoleAddress, refusal, type ConsoleAddress } from './request-checks.ts';
import { setSecurityHeaders } from './security-headers.ts';
import { SessionEndpoint } from './session-endpoint.ts';
import type { Session, Sessions } from './sessions.ts';

export interface ConsoleOptions {
  /** 0 = any free port. */
  readonly port: number;
  readonly assets: Assets;
  readonly sessions: Sessions;
  /** Serves a request of the API through the whole handler chain of the server. */
  readonly api: {
    readonly messages: Pick<http.ServerOptions, 'IncomingMessage' | 'ServerResponse'>;
    readonly serve: (request: IncomingMessage, response: ServerResponse) => void;
  };
  /** Checks the tokens with which users log in. Undefined = the server accepts no tokens. */
  readonly tokens: TokenAuthenticator | undefined;
  /** Decides who sees the requests of other users: who may `get` the path `/console/requests`. */
  readonly authorizer: Authorizer;
  readonly requests: RecentRequests;
}

/** By this name audit events and records tell the requests of the console from others. */
const userAgent = 'apichain-console';
const requestsPath = '/console/requests';

/** Headers with which a client claims to be somebody. Requests of a session have the identity of the session, and the name of the console. */
const identityHeader = /^(?:authorization|cookie|user-agent|x-remote-.*|impersonate-.*|x-apichain-.*)$/i;

/** Serves the console on a port of its own, which only this machine reaches. Plain HTTP: a browser trusts no certificate of the chain. */
export class ConsoleServer {
  readonly #options: ConsoleOptions;
  readonly #server: http.Server;
  readonly #session: SessionEndpoint;
  #address: ConsoleAddress = consoleAddress(0);
  #port = 0;

  constructor(options: ConsoleOptions) {
    this.#options = options;
    this.#session = new SessionEndpoint(options.sessions, options.tokens);
    this.#server = http.createServer(
      { ...options.api.messages, ...http1Limits, shouldUpgradeCallback: () => false },
      (request, response) => this.#handle(request, response),
    );
    this.#server.maxHeadersCount = parserLimits.maxHeadersCount;
    this.#server.on('clientError', answerClientError);
  }

  /** Opens the port on 127.0.0.1. Rejects with Node's error when it is taken. */
  async listen(): Promise<void> {
    const listening = once(this.#server, 'listening');
    this.#server.listen(this.#options.port, '127.0.0.1');
    await listening;
    const address = this.#server.address();
    this.#port = typeof address === 'object' && address !== null ? address.port : 0;
    this.#address = consoleAddress(this.#port);
    this.#session.cookieName = `apichain-console-${this.#port}`;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
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
    } else if (path.startsWith('/console/')) {
      this.#handleOwn(path, session, response).catch((error: unknown) => {
        const status = error instanceof AuthenticationUnavailableError ? 503 : 500;
        writeText(response, status, `${errorMessage(error)}\n`);
      });
    } else {
      identify(request, session);
      this.#options.api.serve(request, response);
    }
  }

  async #handleOwn(path: string, session: Session, response: ServerResponse): Promise<void> {
    const { requests } = this.#options;
    if (path !== requestsPath) {
      writeText(response, 404, 'not found\n');
      return;
    }
    const user = await this.#session.userOf(session);
    if (user === undefined) {
      writeRawJson(response, 401, newUnauthorized().status);
      return;
    }
    const isAll = await this.#seesAll(user);
    response.setHeader('Cache-Control', 'no-store');
    writeJson(response, { isAll, items: requests.list(isAll ? undefined : user.name) });
  }

  async #seesAll(user: UserInfo): Promise<boolean> {
    const nothing = { apiGroup: '', apiVersion: '', resource: '', subresource: '', namespace: '', name: '' };
    const { decision } = await this.#options.authorizer.authorize({
      user,
      verb: 'get',
      isResourceRequest: false,
      path: requestsPath,
      ...nothing,
      fieldSelector: '',
      labelSelector: '',
    });
    return decision === 'Allow';
  }
}

/** Gives the request the identity of the session instead of any that it claims. */
function identify(request: IncomingMessage, { credential, pass }: Session): void {
  for (const name of Object.keys(request.headers)) if (identityHeader.test(name)) delete request.headers[name];
  const raw = request.rawHeaders;
  for (let i = raw.length - 2; i >= 0; i -= 2) if (identityHeader.test(raw[i] ?? '')) raw.splice(i, 2);
  const token = 'token' in credential ? credential.token : pass;
  const own = { authorization: `Bearer ${token}`, 'user-agent': userAgent };
  for (const [name, value] of Object.entries(own)) {
    request.headers[name] = value;
    raw.push(name, value);
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
