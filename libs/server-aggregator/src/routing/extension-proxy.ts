import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import type https from 'node:https';
import type { ApiGroupDiscovery } from '@apichain/apiserver';
import { currentSpan, formatTraceparent, type Span } from '@apichain/client';
import {
  clientHeaders,
  closeIdle,
  Exchange,
  extensionIdentity,
  forwardedFor,
  isCorsHeader,
  retire,
  secureAgent,
  type ProxyDestination,
} from '@apichain/delegation';
import { joinHostPort, encodeQuery, escapePath } from '@apichain/go-text';
import { splitUrl } from '@apichain/request';
import { isAvailable, type ApiService } from '../apiservice/api-service.ts';
import { extensionReason } from './extension-reason.ts';
import type { ServiceLocation, ServiceResolver } from './service-resolver.ts';

const serviceUnavailable = 'service unavailable';
const redirected = 'the backend attempted to redirect this request, which is not permitted';
/** The timeout of discovery requests in milliseconds. A healthy server responds fast, and clients should not wait for an unhealthy one. */
const discoveryTimeoutMs = 5000;
const shortRequests = { maxSockets: 256, maxFreeSockets: 64 };
/** Watches and upgraded connections, which last long. Separate limits, so that short requests never wait for them. */
const longRunningRequests = { maxSockets: 16_384, maxFreeSockets: 16 };
/** Probes, discovery and OpenAPI. They never wait for requests of clients to which the server does not respond. */
const ownRequests = { maxSockets: 32, maxFreeSockets: 2 };

export interface ForwardingOptions {
  /** Respond with 502 instead of an extension API server's redirect, which could send clients and their credentials to any host. */
  readonly rejectRedirects: boolean;
}

/** The client certificate for the aggregator's identity headers. PEM texts. */
export interface ProxyClientCertificate {
  readonly cert?: string;
  readonly key?: string;
}

/**
 * The proxy to one extension API server: https to the APIService's Service, verified against spec.caBundle, with the caller's identity in X-Remote
 * headers. Failures are plain text, as in kube-aggregator: 503 `service unavailable` while the APIService is not available, 503 with the reason
 * when the connection fails.
 */
export class ExtensionProxy {
  /** The last response to `/apis`, reused while the server responds with 304. */
  discovery?: { readonly etag: string; readonly groups: readonly ApiGroupDiscovery[] };
  #apiService: ApiService;
  readonly #resolver: ServiceResolver;
  readonly #rejectRedirects: boolean;
  readonly #short: https.Agent;
  readonly #longRunning: https.Agent;
  readonly #own: https.Agent;

  constructor(
    apiService: ApiService,
    resolver: ServiceResolver,
    certificate: ProxyClientCertificate,
    { rejectRedirects }: ForwardingOptions = { rejectRedirects: true },
  ) {
    this.#apiService = apiService;
    this.#resolver = resolver;
    this.#rejectRedirects = rejectRedirects;
    const tls = tlsOptions(apiService, certificate);
    this.#short = secureAgent(tls, shortRequests);
    this.#longRunning = secureAgent(tls, longRunningRequests);
    this.#own = secureAgent(tls, ownRequests);
  }

  /** The APIService as it is known here: its status may not have been written yet. */
  get apiService(): ApiService {
    return this.#apiService;
  }

  /** Replaces the APIService by a newer version of itself whose connection settings did not change. */
  refresh(apiService: ApiService): void {
    this.#apiService = apiService;
  }

  /** The current destination of requests. Throws Error when the Service cannot be resolved. */
  location(): ServiceLocation {
    const { namespace = '', name = '', port = 443 } = this.#apiService.spec.service ?? {};
    return this.#resolver.resolve(namespace, name, port, this.#apiService);
  }

  /** The agent for the aggregator's own requests. */
  get agent(): https.Agent {
    return this.#own;
  }

  /** Closes idle connections after a failed check, as kube-aggregator does. Otherwise each of them could cost the next check its timeout. */
  closeIdle(): void {
    for (const agent of this.#agents) closeIdle(agent);
  }

  get #agents(): readonly https.Agent[] {
    return [this.#short, this.#longRunning, this.#own];
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    const location = this.#availableAt();
    if (location === undefined) {
      plainText(response, 503, serviceUnavailable);
      return;
    }
    const agents = { short: this.#short, longRunning: this.#longRunning };
    const { name = '' } = this.#apiService.metadata;
    new ExtensionExchange(name, request, response, location, agents, this.#rejectRedirects).start();
  }

  /** For a proxy that gets no more requests: connections close when their responses are complete. */
  retire(): void {
    for (const agent of this.#agents) retire(agent);
  }

  close(): void {
    for (const agent of this.#agents) agent.destroy();
  }

  /** The destination of the APIService while it is available. */
  #availableAt(): ServiceLocation | undefined {
    if (!isAvailable(this.#apiService)) return undefined;
    try {
      return this.location();
    } catch {
      return undefined;
    }
  }
}

/** The connection settings of an APIService. When they change, a new proxy is needed. */
export function connectionSettings(apiService: ApiService): string {
  const { service, caBundle, insecureSkipTLSVerify } = apiService.spec;
  return JSON.stringify([service, caBundle, insecureSkipTLSVerify]);
}

function tlsOptions(apiService: ApiService, certificate: ProxyClientCertificate) {
  const { service, caBundle, insecureSkipTLSVerify } = apiService.spec;
  return {
    servername: `${service?.name ?? ''}.${service?.namespace ?? ''}.svc`,
    rejectUnauthorized: insecureSkipTLSVerify !== true,
    ...(caBundle === undefined || caBundle === '' ? {} : { ca: Buffer.from(caBundle, 'base64') }),
    cert: certificate.cert,
    key: certificate.key,
  };
}

interface Agents {
  readonly short: https.Agent;
  readonly longRunning: https.Agent;
}

/** One request that is forwarded to an extension API server. */
class ExtensionExchange extends Exchange {
  override readonly destination: ProxyDestination;
  readonly #host: string;
  readonly #rejectRedirects: boolean;
  readonly #measured: (() => void) | undefined;
  readonly #span: Span | undefined;

  /** `name`: of the APIService. */
  constructor(
    name: string,
    request: IncomingMessage,
    response: ServerResponse,
    location: ServiceLocation,
    agents: Agents,
    rejectRedirects: boolean,
  ) {
    super(request, response);
    const agent = this.isUpgrade || this.scope.longRunning ? agents.longRunning : agents.short;
    this.destination = { target: { protocol: 'https:', ...location }, agent };
    this.#host = joinHostPort(location.host, location.port);
    this.#rejectRedirects = rejectRedirects;
    this.#measured = this.scope.times?.visit(name);
    this.#span = currentSpan()?.child(name, 'client');
  }

  /** The X-Forwarded headers, the audit id and the path to request. */
  protected override head() {
    const { request, scope } = this;
    const { url = '/' } = request;
    const headers = clientHeaders(request);
    headers['host'] = this.#host;
    const from = forwardedFor(request);
    if (from !== undefined) headers['x-forwarded-for'] = from;
    headers['x-forwarded-host'] = this.#host;
    headers['x-forwarded-proto'] = 'https';
    headers['x-forwarded-uri'] = forwardedUrl(url.split('?')[0] ?? '');
    if (scope.auditId !== '') headers['audit-id'] = scope.auditId;
    if (this.#span !== undefined) headers['traceparent'] = formatTraceparent(this.#span.context);
    // Checked before anything is sent: refuses a user whose identity cannot be sent to the extension server.
    extensionIdentity(scope.user);
    return { path: forwardedUrl(url), headers };
  }

  protected override identify(outgoing: ClientRequest): void {
    for (const [name, value] of extensionIdentity(this.scope.user)) outgoing.setHeader(name, value);
    if (this.#isDiscovery) outgoing.setTimeout(discoveryTimeoutMs, () => outgoing.destroy(deadlineExceeded()));
  }

  /** `/apis/GROUP/VERSION` */
  get #isDiscovery(): boolean {
    const { isResourceRequest, path } = this.scope.requestInfo;
    return !isResourceRequest && path.split('/').filter((part) => part !== '').length === 3;
  }

  protected override inspect({ statusCode = 0, headers: { location } }: IncomingMessage, headers: string[]): boolean {
    if (this.#rejectRedirects && statusCode >= 300 && statusCode <= 399 && location) {
      refuseRedirect(this.response);
      return true;
    }
    for (let i = headers.length - 2; i >= 0; i -= 2) if (isCorsHeader(headers[i] ?? '')) headers.splice(i, 2);
    return false;
  }

  protected override finished(): void {
    this.#measured?.();
    this.#span?.end();
  }

  protected override refuse(error: Error): void {
    plainText(this.response, 503, `error trying to reach service: ${extensionReason(error)}`);
  }
}

const deadlineExceeded = () => Object.assign(new Error('context deadline exceeded'), { name: 'TimeoutError' });

function refuseRedirect(response: ServerResponse): void {
  response.statusCode = 502;
  response.setHeader('Content-Type', 'text/plain; charset=utf-8');
  response.setHeader('Content-Length', redirected.length);
  response.end(redirected);
}

function plainText(response: ServerResponse, code: number, text: string): void {
  response.statusCode = code;
  response.setHeader('Content-Type', 'text/plain; charset=utf-8');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.end(`${text}\n`);
}

/**
 * The path and query for the extension API server: what this server has parsed and authorized, encoded again as by Go's net/url, with minimal
 * escapes and parameters sorted by name. Parts that could not be parsed are not forwarded.
 */
export function forwardedUrl(url: string): string {
  const read = splitUrl(url);
  if (read === undefined) return '/';
  const path = escapePath(read.path);
  const query = encodeQuery(
    [...read.query.entries()].flatMap(([name, values]) => values.map((value) => [name, value])),
  );
  return query === '' ? path : `${path}?${query}`;
}
