import http, { type Agent, type ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { systemPrivilegedGroup, type UserInfo } from '@apichain/authn';
import { newServiceUnavailable } from '@apichain/meta';
import { keepResponse, keepSent, relayHeader, takeNotesOf, wantedOf } from '@apichain/audit';
import type { DelegatedDocument, DelegationTarget } from '../delegation-target.ts';
import { clientHeaders, forwardedFor } from '../proxy/client-headers.ts';
import type { ProxyDestination, ProxyTarget } from '../proxy/destination.ts';
import { Exchange } from '../proxy/exchange.ts';
import { chainIdentity } from '../proxy/identity-headers.ts';
import { plainAgent, retire, secureAgent, type AgentOptions } from '../proxy/target-agent.ts';
import { NextAddresses, SilentServerError, type Resolve } from './addresses.ts';
import { serverVerification } from '@apichain/x509';
import { scopeOf, takeTimesOf, timesHeader, writeStatusError, withoutOrigin } from '@apichain/request';

/** How the two ends of the link authenticate each other. */
export interface LinkIdentity {
  /** PEM of the authorities for the next server's certificate; undefined = the system's authorities. */
  readonly ca?: string;
  /** The front-proxy client certificate and key, PEM. */
  readonly clientCertificate?: string;
  readonly clientKey?: string;
}

interface HttpDelegationOptions extends LinkIdentity {
  /** Base URL of the next server, e.g. `https://127.0.0.1:6444`, or `unix:///path` of the socket on which it serves the previous server. */
  readonly url: string;
  /** The name to expect in the certificate, when it is not the host of the URL. */
  readonly serverName?: string;
  /** Finds the addresses of its host name. Default: that of the system. */
  readonly resolve?: Resolve;
}

const chainUser: UserInfo = { name: 'system:apichain', uid: '', groups: [systemPrivilegedGroup], extra: {} };
const fetchTimeoutMs = 5_000;
const retrySeconds = 1;
const probePath = '/livez/ping';

interface LaneLimits extends AgentOptions {
  /** The limit of requests that have a connection or wait for one. Further requests are refused at once. */
  readonly maxRequests: number;
}

/** More connections than priority and fairness admits requests at a time. */
const shortRequests: LaneLimits = { maxSockets: 1_024, maxFreeSockets: 256, maxRequests: 4_096 };
/** Watches and upgraded connections, which last long. Separate limits, so that short requests never wait for them. */
const longRunningRequests: LaneLimits = { maxSockets: 32_768, maxFreeSockets: 64, maxRequests: 32_768 };

/** Connections for requests of one kind. */
interface Lane {
  readonly destination: ProxyDestination;
  readonly maxRequests: number;
  requests: number;
}

/** The connections with one client identity. */
class Link {
  readonly short: Lane;
  readonly longRunning: Lane;
  /** The value of the Host header for the next server. */
  readonly host: string;
  readonly tls: ReturnType<typeof tlsOf>;

  /** Throws Error when a certificate cannot be used. */
  constructor(options: HttpDelegationOptions, target: ProxyTarget, addresses: NextAddresses | undefined) {
    this.host = target.socketPath === undefined ? new URL(options.url).host : 'localhost';
    const tls = tlsOf(options, target);
    this.tls = tls;
    const lane = ({ maxRequests, ...limits }: LaneLimits): Lane => {
      const all = { ...limits, addresses };
      const agent = target.protocol === 'http:' ? plainAgent(all) : secureAgent(tls, all);
      return { destination: { target, agent }, maxRequests, requests: 0 };
    };
    this.short = lane(shortRequests);
    this.longRunning = lane(longRunningRequests);
  }

  get agents(): readonly Agent[] {
    return [this.short, this.longRunning].map(({ destination }) => destination.agent);
  }

  get isIdle(): boolean {
    return this.agents.every(({ sockets, freeSockets }) => isEmpty(sockets) && isEmpty(freeSockets));
  }
}

const isEmpty = (record: object): boolean => Object.keys(record).length === 0;

function targetOf(url: URL): ProxyTarget {
  if (url.protocol === 'unix:') {
    // Two processes of one host and one user. TLS is not needed: the permissions of the socket file control who may connect.
    return { protocol: 'http:', host: 'localhost', port: 80, socketPath: fileURLToPath(`file://${url.pathname}`) };
  }
  const protocol = url.protocol === 'https:' ? 'https:' : 'http:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return { protocol, host, port: Number(url.port) || (protocol === 'https:' ? 443 : 80) };
}

function tlsOf({ ca, clientCertificate, clientKey, serverName }: HttpDelegationOptions, { host }: ProxyTarget) {
  // Created once, because reading certificates takes longer than a handshake.
  const secureContext = createSecureContext({
    allowPartialTrustChain: true,
    ca,
    cert: clientCertificate,
    key: clientKey,
  });
  return { secureContext, servername: serverName ?? (isIP(host) === 0 ? host : '') };
}

/**
 * The link to the next server of the chain: http-proxy-middleware over keep-alive connections with the front-proxy certificate. A connection
 * carries one request at a time.
 */
export class HttpDelegationTarget implements DelegationTarget {
  readonly #options: HttpDelegationOptions;
  readonly #target: ProxyTarget;
  /** Undefined for a next server with a fixed address, whose name stands for no replicas. */
  readonly #addresses: NextAddresses | undefined;
  /** The connections of probes, one to each address: a handshake for each probe would cost a busy server too much. */
  readonly #probes: Agent;
  #link: Link;
  /** Links with earlier certificates. Their running requests finish there. */
  readonly #retired = new Set<Link>();

  constructor(options: HttpDelegationOptions) {
    this.#options = options;
    this.#target = targetOf(new URL(options.url));
    const { host, socketPath, protocol } = this.#target;
    const kept = { keepAlive: true, maxSockets: 1 };
    this.#probes = protocol === 'http:' ? new http.Agent(kept) : new https.Agent(kept);
    const isFixed = socketPath !== undefined || isIP(host) !== 0;
    this.#addresses = isFixed
      ? undefined
      : new NextAddresses((address, signal) => this.#probe(address, signal), options.resolve);
    this.#link = new Link(options, this.#target, this.#addresses);
  }

  /** Replaces the certificates of new connections. Throws Error, and changes nothing, when a certificate cannot be used. */
  reload(identity: LinkIdentity): void {
    const { url, serverName } = this.#options;
    const retired = this.#link;
    this.#link = new Link({ ...identity, url, serverName }, this.#target, this.#addresses);
    this.#retired.add(retired);
    for (const agent of retired.agents) retire(agent);
    for (const link of this.#retired) if (link.isIdle) this.#retired.delete(link);
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    const link = this.#link;
    const { longRunning, pendingUpgrade } = scopeOf(request);
    const lane = longRunning || pendingUpgrade !== undefined ? link.longRunning : link.short;
    if (lane.requests < lane.maxRequests) new LinkExchange(link.host, lane, request, response).start();
    else writeUnavailable(request, response, 'too many requests wait for it');
  }

  fetch(path: string, headers: Readonly<Record<string, string>> = {}): Promise<DelegatedDocument> {
    const { target, agent } = this.#link.short.destination;
    const { protocol, host, port, socketPath } = target;
    const place = socketPath === undefined ? { protocol, host, port } : { socketPath };
    return new Promise((resolve, reject) => {
      const signal = AbortSignal.timeout(fetchTimeoutMs);
      const all = { ...headers, Host: this.#link.host, ...Object.fromEntries(chainIdentity(chainUser)) };
      const request = (protocol === 'http:' ? http : https).get({ ...place, path, agent, headers: all, signal });
      request.once('error', reject);
      request.once('response', (upstream) => {
        documentOf(upstream).then(resolve, reject);
      });
    });
  }

  /** Any response will do: of a server that refuses the request, too. */
  #probe(address: string, signal: AbortSignal): Promise<void> {
    const { protocol, port } = this.#target;
    const place = {
      host: address,
      port,
      path: probePath,
      headers: { Host: this.#link.host },
      agent: this.#probes,
      signal,
    };
    return new Promise((resolve, reject) => {
      const answered = (response: IncomingMessage) => {
        response.resume();
        resolve();
      };
      const request =
        protocol === 'http:'
          ? http.get(place, answered)
          : https.get({ ...serverVerification, ...this.#link.tls, ...place }, answered);
      request.on('error', reject);
    });
  }

  close(): void {
    this.#addresses?.close();
    this.#probes.destroy();
    for (const link of [this.#link, ...this.#retired]) for (const agent of link.agents) agent.destroy();
  }
}

async function documentOf(upstream: IncomingMessage): Promise<DelegatedDocument> {
  const chunks: Buffer[] = [];
  for await (const chunk of upstream as AsyncIterable<Buffer>) chunks.push(chunk);
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(upstream.headers))
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  return { status: upstream.statusCode ?? 0, headers, body: Buffer.concat(chunks) };
}

/** Responds with 503: the next server could not be reached, or disconnected before it responded. */
function writeUnavailable(request: IncomingMessage, response: ServerResponse, why: string): void {
  const text = `the next server in the chain is not available: ${why}`;
  writeStatusError(request, response, newServiceUnavailable(text, retrySeconds));
}

/** One request that is forwarded to the next server of the chain. */
class LinkExchange extends Exchange {
  override readonly destination: ProxyDestination;
  readonly #host: string;
  readonly #lane: Lane;
  /** When the request was sent, by the times of a request that is measured. */
  #sentAt = 0;
  /** The response, kept when an audit event needs it. */
  #kept: { readonly headers: readonly string[]; readonly parts: Buffer[] } | undefined;

  constructor(host: string, lane: Lane, request: IncomingMessage, response: ServerResponse) {
    super(request, response);
    this.#host = host;
    this.#lane = lane;
    this.destination = lane.destination;
    lane.requests++;
    if (this.scope.audit !== undefined) keepSent(request, this.scope);
  }

  protected override head() {
    const { request, scope } = this;
    const headers = clientHeaders(request);
    headers['host'] = this.#host;
    headers['audit-id'] = scope.auditId;
    const from = forwardedFor(request);
    if (from !== undefined) headers['x-forwarded-for'] = from;
    if (scope.audit !== undefined) headers[relayHeader.toLowerCase()] = wantedOf(scope.audit);
    if (scope.times !== undefined) {
      headers[timesHeader.toLowerCase()] = '1';
      this.#sentAt = scope.times.elapsed;
    }
    // Checked before anything is sent: refuses a user whose identity cannot be sent to the next server.
    chainIdentity(scope.user);
    return { path: pathOf(request.url ?? '/'), headers };
  }

  protected override identify(outgoing: ClientRequest): void {
    for (const [name, value] of chainIdentity(this.scope.user)) outgoing.setHeader(name, value);
  }

  protected override inspect(_upstream: IncomingMessage, headers: string[]): boolean {
    takeTimesOf(this.scope, headers, this.#sentAt);
    if (takeNotesOf(this.scope, headers)) this.#kept = { headers, parts: [] };
    return false;
  }

  protected override keep(part: Buffer | undefined): void {
    if (this.#kept === undefined) return;
    const { headers, parts } = this.#kept;
    if (part === undefined) keepResponse(this.scope, headers, Buffer.concat(parts));
    else parts.push(Buffer.from(part));
  }

  /**
   * A watch may end at any time, also in the middle of an event. client-go continues it from the last event that it has seen, but after a reset
   * stream it lists again: a shutdown of this server, or a restart of the next one, would make all clients list at once.
   */
  protected override endsQuietly(): boolean {
    return this.scope.requestInfo.verb === 'watch';
  }

  protected override lostServer(error: Error): boolean {
    return error instanceof SilentServerError;
  }

  protected override refuse(error: Error): void {
    writeUnavailable(this.request, this.response, error.message);
  }

  protected override finished(): void {
    this.#lane.requests--;
  }
}

/** The path and query of a request target, as authorized; without the host for `GET http://host/path`. */
const pathOf = (target: string): string => (target.startsWith('/') ? target : (withoutOrigin(target) ?? target));
