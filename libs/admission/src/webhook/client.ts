import { Agent, request as httpsRequest, type RequestOptions } from 'node:https';
import type { checkServerIdentity } from 'node:tls';
import type { IncomingMessage } from 'node:http';
import { currentSpan, formatTraceparent, responseErrorText, type SpanContext } from '@apichain/client';
import { goQuote, parseJson, stringifyJson } from '@apichain/meta';
import { caBundleProblem } from '@apichain/schema';
import { integer, isRecord, record, text, type Plain } from '../fields.ts';
import type { WebhookUsers } from './users.ts';

/** Where a Service is reached. Throws Error with the text clients see, e.g. `service "x" not found`. */
export interface ServiceResolver {
  resolve(
    namespace: string,
    name: string,
    port: number,
  ): Promise<{ readonly host: string; readonly port: number }> | { readonly host: string; readonly port: number };
}

/** How a webhook was asked for a decision, and what came of it. */
export interface WebhookCall {
  readonly name: string;
  readonly mutating: boolean;
  /** `CREATE`, `UPDATE`, `DELETE`, `CONNECT`. */
  readonly operation: string;
  readonly seconds: number;
  /** `error` = there was no usable answer. */
  readonly outcome: 'allowed' | 'denied' | 'error';
  /** Of the refusal or the error; 200 when it was allowed. */
  readonly code: number;
  /** An error does not matter: failurePolicy Ignore. */
  readonly failOpen: boolean;
}
export type WebhookObserver = (call: WebhookCall) => void;

export interface WebhookCallOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Ask with `?timeout=`, as admission does and conversion does not. */
  readonly tellTimeout: boolean;
  /** What the call is part of; the span of the request unless given. */
  readonly span?: SpanContext;
}

const maxConnections = 64;
const maxIdleConnections = 8;
const maxClients = 512;
const maxAnswerBytes = 16 * 1024 * 1024;
const idleMs = 60_000;
/** A webhook that there can be no connection to, whatever it would answer. */
export class UnusableClientError extends Error {}

/** One endpoint's connections and how they are made. */
interface Endpoint {
  /** `https://name.namespace.svc:443/path`, as errors show it. */
  readonly url: URL;
  readonly agent: Agent;
  readonly service?: { readonly namespace: string; readonly name: string; readonly port: number };
  readonly tls: Pick<RequestOptions, 'ca' | 'servername' | 'cert' | 'key'>;
  /** The header that says who calls. */
  readonly authorization?: string;
}

/**
 * Calls webhooks: JSON over HTTPS, connections kept and bounded for each endpoint, no redirects, the certificate checked against
 * caBundle or the public authorities. Errors read as Go's HTTP client words them.
 * After k8s.io/apiserver/pkg/util/webhook.
 */
export class WebhookClient {
  /** Told of each call for an admission decision. */
  observer: WebhookObserver | undefined;
  readonly #resolver: ServiceResolver;
  readonly #userAgent: string;
  readonly #endpoints = new Map<string, Endpoint>();

  readonly #users: WebhookUsers | undefined;

  /** `users` says as whom webhooks are called; without it as nobody. */
  constructor(resolver: ServiceResolver, userAgent = 'kube-apiserver-admission', users?: WebhookUsers) {
    this.#resolver = resolver;
    this.#userAgent = userAgent;
    this.#users = users;
  }

  /**
   * The decoded answer of a POST. `clientConfig` is that of the webhook. Throws Error with the reason for the client,
   * UnusableClientError where that is the configuration.
   */
  async post(clientConfig: unknown, body: unknown, options: WebhookCallOptions): Promise<Plain> {
    const endpoint = this.#endpoint(record(clientConfig));
    const url = new URL(endpoint.url);
    if (options.tellTimeout) url.searchParams.set('timeout', `${Math.max(1, Math.ceil(options.timeoutMs / 1000))}s`);
    try {
      const { status, contentType, bytes } = await this.#exchange(
        endpoint,
        url,
        Buffer.from(stringifyJson(body)),
        options,
      );
      if (status >= 300 && status < 400) throw new Error('redirects are not followed');
      if (status < 200 || status >= 300)
        throw new AnswerError(responseErrorText(status, contentType, bytes.toString('utf8')));
      return decoded(status, contentType === '' ? 'application/json' : contentType, bytes);
    } catch (error) {
      if (error instanceof AnswerError) throw error;
      const reason = connectionReason(error);
      throw new Error(`Post ${goQuote(shownUrl(endpoint, url))}: ${reason}`, { cause: error });
    }
  }

  close(): void {
    for (const { agent } of this.#endpoints.values()) agent.destroy();
    this.#endpoints.clear();
  }

  #endpoint(clientConfig: Plain): Endpoint {
    const key = stringifyJson([clientConfig.url, clientConfig.service, clientConfig.caBundle]);
    const known = this.#endpoints.get(key);
    if (known !== undefined) return known;
    const made = asUser(endpointOf(clientConfig), this.#users);
    if (this.#endpoints.size >= maxClients) this.close();
    this.#endpoints.set(key, made);
    return made;
  }

  async #exchange(
    endpoint: Endpoint,
    url: URL,
    body: Buffer,
    { timeoutMs, signal, span = currentSpan()?.context }: WebhookCallOptions,
  ): Promise<Answer> {
    const { service } = endpoint;
    const location =
      service === undefined ? undefined : await this.#resolver.resolve(service.namespace, service.name, service.port);
    const limit = AbortSignal.timeout(Math.max(1, timeoutMs));
    const options: RequestOptions = {
      method: 'POST',
      agent: endpoint.agent,
      host: location?.host ?? url.hostname.replace(/^\[|\]$/g, ''),
      port: location?.port ?? (url.port === '' ? 443 : Number(url.port)),
      path: url.pathname + url.search,
      ...endpoint.tls,
      signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
      headers: {
        Host: url.host,
        'Content-Type': 'application/json',
        'Content-Length': body.length,
        Accept: 'application/json, */*',
        ...(endpoint.authorization === undefined ? {} : { Authorization: endpoint.authorization }),
        'User-Agent': this.#userAgent,
        ...(span === undefined ? {} : { traceparent: formatTraceparent(span) }),
      },
    };
    try {
      return await send(options, body);
    } catch (error) {
      // A connection that was kept may have been closed by the other side just now; nothing of the request has been read then.
      if (!(error instanceof StaleConnectionError)) throw error;
      return send({ ...options, agent: false }, body);
    }
  }
}

interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly bytes: Buffer;
}

class StaleConnectionError extends Error {}
/** The webhook has answered, but not with what was asked for. */
class AnswerError extends Error {}

function send(options: RequestOptions, body: Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = httpsRequest(options, (answer) => {
      const { statusCode: status = 0, headers } = answer;
      const contentType = headers['content-type'] ?? '';
      collect(answer).then((bytes) => resolve({ status, contentType, bytes }), reject);
    });
    sent.on('error', (error: NodeJS.ErrnoException) =>
      reject(
        sent.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
          ? new StaleConnectionError(error.message)
          : error,
      ),
    );
    sent.end(body);
  });
}

async function collect(answer: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxAnswerBytes) throw new Error('the answer is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function endpointOf({ url, service, caBundle }: Plain): Endpoint {
  const problem = text(caBundle) === '' ? undefined : caBundleProblem(text(caBundle));
  if (problem !== undefined) throw new UnusableClientError(problem);
  const ca = text(caBundle) === '' ? {} : { ca: Buffer.from(text(caBundle), 'base64') };
  const agent = new Agent({
    keepAlive: true,
    maxSockets: maxConnections,
    maxFreeSockets: maxIdleConnections,
    timeout: idleMs,
    allowPartialTrustChain: true,
  });
  if (!isRecord(service)) {
    const target = new URL(text(url));
    return { url: target, agent, tls: ca };
  }
  const namespace = text(service.namespace);
  const name = text(service.name);
  const port = integer(service.port) ?? 443;
  const servername = `${name}.${namespace}.svc`;
  const path = text(service.path);
  const target = new URL(`https://${servername}:${port}`);
  const [pathname = '', ...query] = path.split('?');
  target.pathname = pathname === '' ? '/' : pathname;
  if (query.length > 0) target.search = query.join('?');
  return { url: target, agent, service: { namespace, name, port }, tls: { ...ca, servername } };
}

/** The endpoint with what the server shows there of itself. */
function asUser(endpoint: Endpoint, users: WebhookUsers | undefined): Endpoint {
  const { url, service } = endpoint;
  const port = service?.port ?? (url.port === '' ? 443 : Number(url.port));
  const user = users?.(`${url.hostname}:${port}`);
  if (user === undefined) return endpoint;
  const { cert, key, authorization } = user;
  return {
    ...endpoint,
    tls: { ...endpoint.tls, ...(cert === undefined ? {} : { cert }), ...(key === undefined ? {} : { key }) },
    ...(authorization === undefined ? {} : { authorization }),
  };
}

/** As Go prints the URL: with the port of a Service always, of a URL as it was given. */
function shownUrl({ service }: Endpoint, url: URL): string {
  const host = service === undefined ? url.host : `${service.name}.${service.namespace}.svc:${service.port}`;
  return `${url.protocol}//${host}${url.pathname}${url.search}`;
}

function decoded(status: number, contentType: string, bytes: Buffer): Plain {
  if (bytes.length === 0)
    throw new AnswerError(`0-length response with status code: ${status} and content type: ${contentType}`);
  let value: unknown;
  try {
    value = parseJson(bytes);
  } catch (error) {
    const shown = bytes.toString('utf8', 0, 1024);
    throw new AnswerError(
      `couldn't get version/kind; json parse error: ${error instanceof Error ? error.message : shown}`,
    );
  }
  if (isRecord(value)) return value;
  throw new AnswerError(
    `couldn't get version/kind; json parse error: json: cannot unmarshal ${Array.isArray(value) ? 'array' : typeof value} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
  );
}

const systemErrors: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connect: connection refused',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
  ETIMEDOUT: 'connect: connection timed out',
};
const authorityErrors: ReadonlySet<string> = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
]);

interface ConnectionError extends NodeJS.ErrnoException {
  readonly address?: string;
  readonly port?: number;
  readonly hostname?: string;
}

/** A failure of the connection in the words of Go's net/http. */
export function connectionReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code = '', address = '', port, hostname } = error as ConnectionError;
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return 'context deadline exceeded';
  if (error instanceof AggregateError && error.errors.length > 0) return connectionReason(error.errors[0]);
  const known = systemErrors[code];
  if (known !== undefined) return `dial tcp ${address.includes(':') ? `[${address}]` : address}:${port ?? 0}: ${known}`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `dial tcp: lookup ${hostname ?? ''}: no such host`;
  if (code === 'ECONNRESET') return 'EOF';
  if (authorityErrors.has(code))
    return 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
  if (code === 'CERT_HAS_EXPIRED')
    return 'tls: failed to verify certificate: x509: certificate has expired or is not yet valid';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `tls: failed to verify certificate: x509: ${altNameReason(error)}`;
  return error.message;
}

function altNameReason(error: Error): string {
  const { host, cert } = error as Error & { host?: string; cert?: Parameters<typeof checkServerIdentity>[1] };
  const names = (cert?.subjectaltname ?? '')
    .split(', ')
    .filter((name) => name.startsWith('DNS:'))
    .map((name) => name.slice(4));
  return names.length === 0
    ? `certificate is not valid for any names, but wanted to match ${host ?? ''}`
    : `certificate is valid for ${names.join(', ')}, not ${host ?? ''}`;
}
