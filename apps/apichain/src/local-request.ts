import http, { type IncomingHttpHeaders } from 'node:http';
import https from 'node:https';

/** A given certificate is trusted although it is not that of an authority. */
export const trustsGiven = { allowPartialTrustChain: true } as const;

/** PEM texts for TLS with a server. */
export interface LocalTls {
  /** The certificates to trust: authorities, or the certificate of the server itself. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

export interface LocalRequest extends LocalTls {
  /** Default: GET. */
  readonly method?: 'GET' | 'POST';
  /** Keeps the connection, and has the TLS options. Default: a new connection. */
  readonly agent?: https.Agent;
  /** For connecting, TLS and the response together. */
  readonly timeoutMs: number;
  /** The timeout in error messages. Default: in milliseconds. */
  readonly timeoutText?: string;
}

export interface LocalResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/**
 * Sends a request to a server of a chain, by `http:` or `https:`, and reads the whole response. Rejects with the error of the connection, or with
 * `no response within ...`. Does not use `fetch`, because Node would have to load its implementation.
 */
export function requestLocal(
  url: string,
  { method = 'GET', agent, timeoutMs, timeoutText = `${timeoutMs} ms`, ...tls }: LocalRequest,
): Promise<LocalResponse> {
  return new Promise((resolve, reject) => {
    // The timeout of a socket begins anew with each of its steps, so it does not limit the whole call.
    const signal = AbortSignal.timeout(timeoutMs);
    const fail = (error: Error) => reject(signal.aborted ? new Error(`no response within ${timeoutText}`) : error);
    const { request } = url.startsWith('http:') ? http : https;
    const sent = request(url, { ...tls, ...trustsGiven, method, signal, agent: agent ?? false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', fail);
      response.on('end', () => {
        const { statusCode = 0, headers } = response;
        resolve({ status: statusCode, headers, body: Buffer.concat(chunks).toString() });
      });
    });
    sent.on('error', fail);
    sent.end();
  });
}
