import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { goQuote, parseGoUrl } from '@apichain/go-text';
import { WebhookResponseError, type WebhookResponse } from './webhook-response.ts';
import { connectionReason } from './connection-reason.ts';
import { directLocation, isServiceAddress, shownUrl, type Endpoint } from './endpoint.ts';

const maxResponseBytes = 16 * 1024 * 1024;
const maxRedirects = 10;
const followed: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const asGet: ReadonlySet<number> = new Set([301, 302, 303]);

/** Resolves the address of a Service. Throws Error with a text for clients, e.g. `service "x" not found`. */
export interface ServiceResolver {
  resolve(
    namespace: string,
    name: string,
    port: number,
  ): Promise<{ readonly host: string; readonly port: number }> | { readonly host: string; readonly port: number };
}

/** A request of the client, and what is needed to send it. */
export interface Exchange {
  readonly endpoint: Endpoint;
  readonly resolver: ServiceResolver;
  readonly url: URL;
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** A response, with the header that says when to retry. */
export interface Received extends WebhookResponse {
  readonly retryAfter: string | undefined;
}

interface Arrived extends Received {
  readonly location: string | undefined;
}

interface Leg {
  readonly method: 'POST' | 'GET';
  readonly url: URL;
  readonly referer?: string;
}

/**
 * Posts the body and follows redirects: 301 to 303 with a GET, 307 and 308 with the same
 * method and body. Throws WebhookResponseError with the text of Go's HTTP client.
 * Source: Client.do of Go's net/http.
 */
export async function exchange(asked: Exchange): Promise<Received> {
  const { endpoint } = asked;
  let leg: Leg = { method: 'POST', url: asked.url };
  for (let redirects = 0; ; redirects++) {
    const failed = (reason: string, at = shownUrl(endpoint, leg.url)) =>
      new WebhookResponseError(`Post ${goQuote(at)}: ${reason}`);
    let response: Arrived;
    try {
      response = await sendLeg(asked, leg);
    } catch (error) {
      throw error instanceof WebhookResponseError ? error : failed(connectionReason(error));
    }
    const { status, location } = response;
    if (!followed.has(status) || location === undefined || location === '') return response;
    const problem = locationProblem(location, leg.url);
    if (problem !== undefined) throw failed(`failed to parse Location header ${goQuote(location)}: ${problem}`);
    if (redirects + 1 >= maxRedirects) throw failed(`stopped after ${maxRedirects} redirects`, location);
    leg = redirected(leg, status, location);
    const scheme = leg.url.protocol.slice(0, -1);
    if (scheme !== 'http' && scheme !== 'https') throw failed(`unsupported protocol scheme ${goQuote(scheme)}`);
  }
}

function locationProblem(location: string, from: URL): string | undefined {
  const read = parseGoUrl(location);
  if ('error' in read) return read.error;
  return URL.canParse(location, from.href) ? undefined : `parse ${goQuote(location)}: invalid URL`;
}

function redirected(leg: Leg, status: number, location: string): Leg {
  const url = new URL(location, leg.url);
  const downgraded = leg.url.protocol === 'https:' && url.protocol === 'http:';
  return {
    method: asGet.has(status) ? 'GET' : leg.method,
    url,
    ...(downgraded ? {} : { referer: leg.url.href }),
  };
}

class StaleConnectionError extends Error {}

async function sendLeg({ endpoint, resolver, body, headers, signal }: Exchange, leg: Leg): Promise<Arrived> {
  const { method, url, referer } = leg;
  const { service } = endpoint;
  const { host, port } =
    service !== undefined && isServiceAddress(endpoint, url)
      ? await resolver.resolve(service.namespace, service.name, service.port)
      : directLocation(url);
  // Credentials are not sent to another origin after a redirect.
  const authorization = url.origin === endpoint.url.origin ? endpoint.authorization : undefined;
  const options: RequestOptions = {
    method,
    host,
    port,
    path: url.pathname + url.search,
    signal,
    ...(url.protocol === 'http:' ? {} : { agent: endpoint.agent, ...endpoint.tls }),
    headers: {
      Host: url.host,
      ...headers,
      ...(authorization === undefined ? {} : { Authorization: authorization }),
      ...(referer === undefined ? {} : { Referer: referer }),
      ...(method === 'GET' ? {} : { 'Content-Length': body.length }),
    },
  };
  const payload = method === 'GET' ? undefined : body;
  try {
    return await send(url, options, payload);
  } catch (error) {
    // The server may have closed a kept-alive connection in the meantime; it has not read any of the request then.
    if (!(error instanceof StaleConnectionError)) throw error;
    return send(url, { ...options, agent: false }, payload);
  }
}

function send({ protocol }: URL, options: RequestOptions, body: Buffer | undefined): Promise<Arrived> {
  return new Promise((resolve, reject) => {
    const arrived = (response: IncomingMessage, bytes: Buffer): Arrived => {
      const { statusCode: status = 0, headers } = response;
      const { location, 'content-type': contentType = '', 'retry-after': retryAfter } = headers;
      return { status, contentType, bytes, location, retryAfter };
    };
    let begun = false;
    const sent = (protocol === 'http:' ? httpRequest : httpsRequest)(options, (response) => {
      begun = true;
      collect(response, options.signal).then((bytes) => resolve(arrived(response, bytes)), reject);
    });
    sent.on('upgrade', (response, socket) => {
      socket.destroy();
      resolve(arrived(response, Buffer.alloc(0)));
    });
    sent.on('error', (error: NodeJS.ErrnoException) => {
      // Once the response has begun, its reader reports the error.
      if (begun) return;
      const isStale = sent.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
      reject(isStale ? new StaleConnectionError(error.message) : error);
    });
    sent.end(body);
  });
}

async function collect(response: IncomingMessage, signal: AbortSignal | undefined): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxResponseBytes) throw new Error('the response is too large');
      chunks.push(chunk);
    }
  } catch (error) {
    const reason = connectionReason(signal?.aborted === true ? signal.reason : error);
    throw new WebhookResponseError(
      `unexpected error when reading response body. Please retry. Original error: ${reason === 'EOF' ? 'unexpected EOF' : reason}`,
    );
  }
  return Buffer.concat(chunks);
}
