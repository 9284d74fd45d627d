import { Agent as HttpsAgent } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connectionReason } from '@apichain/admission';
import { appendIdentity, findScope } from '@apichain/apiserver';
import type { UserInfo } from '@apichain/authn';
import type { RequestHandler } from 'http-proxy-middleware';
import { type ApiService, isAvailable } from '../apiservice/api-service.ts';
import { forwardedUrl } from './forwarded-url.ts';
import { proxyLibrary } from './proxy-library.ts';
import type { ServiceLocation, ServiceResolver } from './service-resolver.ts';

const serviceUnavailable = 'service unavailable';
const redirected = 'the backend attempted to redirect this request, which is not permitted';
/** Discovery is cheap for a server that is well; clients should not wait for one that is not. Milliseconds. */
const discoveryTimeoutMs = 5000;

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
  readonly #agent: HttpsAgent;
  readonly #proxy: RequestHandler<IncomingMessage, ServerResponse>;

  constructor(
    apiService: ApiService,
    resolver: ServiceResolver,
    certificate: ProxyClientCertificate,
    { rejectRedirects }: ForwardingOptions = { rejectRedirects: true },
  ) {
    this.#apiService = apiService;
    this.#resolver = resolver;
    this.#agent = new HttpsAgent({ keepAlive: true, maxSockets: 256, ...tlsOptions(apiService, certificate) });
    this.#proxy = proxyLibrary().createProxyMiddleware<IncomingMessage, ServerResponse>({
      target: 'https://placeholder.invalid',
      router: () => `https://${formatHost(this.location())}`,
      agent: this.#agent,
      changeOrigin: true,
      pathRewrite: forwardedUrl,
      secure: apiService.spec.insecureSkipTLSVerify !== true,
      on: {
        proxyReq: (outgoing, request) => {
          if (isDiscovery(request)) outgoing.setTimeout(discoveryTimeoutMs, () => outgoing.destroy(deadlineExceeded()));
        },
        proxyRes: (answer, request, response) => {
          findScope(request)?.initialized();
          if (rejectRedirects && isRedirect(answer)) refuseRedirect(answer, response);
          else dropCorsHeaders(answer);
        },
        error: (error, _request, target) => answerUnreachable(error, target),
      },
    });
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

  get agent(): HttpsAgent {
    return this.#agent;
  }

  handle(user: UserInfo, request: IncomingMessage, response: ServerResponse): void {
    if (!this.#mayForward()) {
      plainText(response, 503, serviceUnavailable);
      return;
    }
    setIdentity(request, user);
    tellOrigin(request, formatHost(this.location()));
    void this.#proxy(request, response, (error?: unknown) => {
      if (error !== undefined && !response.headersSent) plainText(response, 503, errorText(error));
    });
  }

  upgrade(user: UserInfo, request: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (!this.#mayForward()) {
      socket.end(`HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\r\n${serviceUnavailable}\n`);
      return;
    }
    setIdentity(request, user);
    findScope(request)?.initialized();
    // http-proxy-middleware asks for a net.Socket; TLS sockets, the only ones that reach this point, are.
    this.#proxy.upgrade(request, socket as Socket, head);
  }

  /** For a proxy that gets no more requests: connections close when their answers are complete. */
  retire(): void {
    this.#agent.maxFreeSockets = 0;
    for (const sockets of Object.values(this.#agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
  }

  close(): void {
    this.#agent.destroy();
  }

  #mayForward(): boolean {
    if (!isAvailable(this.#apiService)) return false;
    try {
      this.location();
      return true;
    } catch {
      return false;
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

/** The caller as the extension server is told of it; what the caller said about itself is dropped. */
function setIdentity(request: IncomingMessage, user: UserInfo): void {
  const { headers } = request;
  for (const name of Object.keys(headers))
    if (name.startsWith('x-remote-') || name.startsWith(':') || name === 'authorization') delete headers[name];
  const identity = appendIdentity([], user);
  for (let i = 0; i + 1 < identity.length; i += 2) {
    const name = (identity[i] ?? '').toLowerCase();
    const before = headers[name];
    const value = identity[i + 1] ?? '';
    headers[name] = before === undefined ? value : [before, value].flat();
  }
}

/** Who has asked, by which name the request is audited, and what was asked of whom. */
function tellOrigin(request: IncomingMessage, host: string): void {
  const { headers, socket, url = '/' } = request;
  const before = headers['x-forwarded-for'];
  const { auditId } = findScope(request) ?? {};
  const client = socket.remoteAddress?.replace(/^::ffff:/, '') ?? '';
  headers['x-forwarded-for'] = [...(before === undefined ? [] : [before].flat()), client].join(', ');
  headers['x-forwarded-host'] = host;
  headers['x-forwarded-proto'] = 'https';
  headers['x-forwarded-uri'] = forwardedUrl(url.split('?')[0] ?? '');
  if (auditId) headers['audit-id'] = auditId;
}

/** `/apis/GROUP/VERSION` */
const isDiscovery = (request: IncomingMessage): boolean => {
  const { requestInfo } = findScope(request) ?? {};
  return (
    requestInfo?.isResourceRequest === false && requestInfo.path.split('/').filter((part) => part !== '').length === 3
  );
};

const deadlineExceeded = () => Object.assign(new Error('context deadline exceeded'), { name: 'TimeoutError' });

const isRedirect = ({ statusCode = 0, headers }: IncomingMessage): boolean =>
  statusCode >= 300 && statusCode <= 399 && !!headers.location;

function refuseRedirect(answer: IncomingMessage, response: ServerResponse): void {
  answer.destroy();
  response.statusCode = 502;
  response.setHeader('Content-Type', 'text/plain; charset=utf-8');
  response.setHeader('Content-Length', redirected.length);
  response.end(redirected);
}

function dropCorsHeaders(answer: IncomingMessage): void {
  for (const name of ['credentials', 'headers', 'methods', 'origin'])
    delete answer.headers[`access-control-allow-${name}`];
}

function answerUnreachable(error: Error, target: ServerResponse | Duplex): void {
  if (!('setHeader' in target)) {
    target.destroy();
    return;
  }
  if (target.headersSent) target.destroy();
  else plainText(target, 503, `error trying to reach service: ${connectionReason(error)}`);
}

function plainText(response: ServerResponse, code: number, text: string): void {
  response.statusCode = code;
  response.setHeader('Content-Type', 'text/plain; charset=utf-8');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.end(`${text}\n`);
}

function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function formatHost({ host, port }: ServiceLocation): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
