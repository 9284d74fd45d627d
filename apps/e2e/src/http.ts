import { request, type Agent } from 'node:https';
import type { Chain } from './chain.ts';

export interface HttpResponse {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  /** The body as received, not decompressed. */
  readonly body: Buffer;
  readonly text: string;
  /** The decoded JSON body. */
  json<T = Record<string, unknown>>(): T;
}

export interface CallOptions {
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
  /** false sends the request without the administrator's client certificate. */
  readonly admin?: boolean;
  /** The agent whose connections are used. By default, each request opens a new connection. */
  readonly agent?: Agent;
}

export function httpResponse(
  status: number,
  headers: HttpResponse['headers'],
  chunks: readonly Buffer[],
): HttpResponse {
  const body = Buffer.concat(chunks);
  const text = body.toString('utf8');
  return { status, headers, body, text, json: <T>() => JSON.parse(text) as T };
}

/** Sends one HTTPS request to the chain. By default, the client is the administrator. */
export function call(
  chain: Pick<Chain, 'url' | 'admin'>,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<HttpResponse> {
  const { ca, cert, key } = chain.admin;
  return new Promise((resolve, reject) => {
    const outgoing = request(
      chain.url + path,
      {
        method,
        ca,
        ...(options.admin === false ? {} : { cert, key }),
        headers: {
          // Without Content-Length, Node sends the body of a DELETE without framing.
          ...(options.body === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(options.body)) }),
          ...options.headers,
        },
        agent: options.agent ?? false,
      },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          resolve(httpResponse(incoming.statusCode ?? 0, incoming.headers, chunks));
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(options.body);
  });
}
