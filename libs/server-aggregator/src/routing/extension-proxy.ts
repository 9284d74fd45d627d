import { joinHostPort } from '@apichain/go-text';
import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import type https from 'node:https';
import { connectionReason } from '@apichain/admission';
import {
  clientHeaders,
  Exchange,
  extensionIdentity,
  forwardedFor,
  isCorsHeader,
  retire,
  secureAgent,
  type ProxyDestination,
} from '@apichain/delegation';
import { type ApiService, isAvailable } from '../apiservice/api-service.ts';
import { forwardedUrl } from './forwarded-url.ts';
import type { ServiceLocation, ServiceResolver } from './service-resolver.ts';

const serviceUnavailable = 'service unavailable';
const redirected = 'the backend attempted to redirect this request, which is not permitted';
/** Discovery is cheap for a server that is well; clients should not wait for one that is not. Milliseconds. */
const discoveryTimeoutMs = 5000;
const shortRequests = { maxSockets: 256, maxFreeSockets: 64 };
/** Watches and upgraded connections, which last: short requests never wait for them. */
const longRunningRequests = { maxSockets: 16_384, maxFreeSockets: 16 };

export interface ForwardingOptions {
  /** Answer 502 instead of an extension API server's redirect: it could send callers, with what they carry, anywhere. */
  readonly rejectRedirects: boolean;
}

/** The client certificate with which the aggregator vouches for the identity headers it sends. PEM texts. */
export interface ProxyClientCertificate {
  readonly cert?: string;
  readonly key?: string;
}

/**
 * The way to one extension API server: https to the APIService's Service, its name checked against spec.caBundle, the caller's
 * identity in X-Remote headers. Failures are plain text, as kube-aggregator's are: 503 `service unavailable` while the APIService
 * is not available, 503 with the reason when the connection fails.
 */
export class ExtensionProxy {
  #apiService: ApiService;
  readonly #resolver: ServiceResolver;
  readonly #rejectRedirects: boolean;
  readonly #short: https.Agent;
  readonly #longRunning: https.Agent;

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
  }

  /** Takes a newer state of the same APIService whose connection settings did not change. */
  refresh(apiService: ApiService): void {
    this.#apiService = apiService;
  }

  /** Where requests go now. Throws Error when the Service cannot be resolved. */
  location(): ServiceLocation {
    const { namespace = '', name = '', port = 443 } = this.#apiService.spec.service ?? {};
    return this.#resolver.resolve(namespace, name, port);
  }

  get agent(): https.Agent {
    return this.#short;
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    const location = this.#availableAt();
    if (location === undefined) {
      plainText(response, 503, serviceUnavailable);
      return;
    }
    const agents = { short: this.#short, longRunning: this.#longRunning };
    new ExtensionExchange(request, response, location, agents, this.#rejectRedirects).start();
  }

  /** For a proxy that gets no more requests: connections close when their answers are complete. */
  retire(): void {
    retire(this.#short);
    retire(this.#longRunning);
  }

  close(): void {
    this.#short.destroy();
    this.#longRunning.destroy();
  }

  /** Where the APIService is, as long as it is available. */
  #availableAt(): ServiceLocation | undefined {
    if (!isAvailable(this.#apiService)) return undefined;
    try {
      return this.location();
    } catch {
      return undefined;
    }
  }
}

/** The parts of an APIService that a connection is made of: when they change, a new proxy is needed. */
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
    ...(certificate.cert === undefined ? {} : { cert: certificate.cert }),
    ...(certificate.key === undefined ? {} : { key: certificate.key }),
  };
}

interface Agents {
  readonly short: https.Agent;
  readonly longRunning: https.Agent;
}

/** One request on its way to an extension API server. */
class ExtensionExchange extends Exchange {
  override readonly destination: ProxyDestination;
  readonly #host: string;
  readonly #rejectRedirects: boolean;

  constructor(
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
  }

  /** Who has asked, by which name the request is audited, and what was asked of whom. */
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
    // Before anything is sent: who cannot be told to the extension server is refused here.
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

  protected override refuse(error: Error): void {
    plainText(this.response, 503, `error trying to reach service: ${connectionReason(error)}`);
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
