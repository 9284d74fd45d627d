import http2, { type ClientHttp2Session } from 'node:http2';
import type { Chain } from './chain.ts';
import { httpResponse, type HttpResponse, type CallOptions } from './http.ts';

/** The identity of a client: a certificate here, or a token in the headers of each request. */
type Http2Identity = Pick<Chain['admin'], 'ca'> & Partial<Pick<Chain['admin'], 'cert' | 'key'>>;

/** Opens an HTTP/2 connection to the chain. Its errors are reported by the requests on it. */
export function openSession(chain: Pick<Chain, 'url'>, identity: Http2Identity): ClientHttp2Session {
  return http2.connect(chain.url, identity).on('error', () => undefined);
}

/** Sends one request over an HTTP/2 connection. Rejects with Error when the stream is reset. */
export function ask(
  session: ClientHttp2Session,
  method: string,
  path: string,
  { headers = {}, body }: Pick<CallOptions, 'headers' | 'body'> = {},
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const all = { ':method': method, ':path': path, ...type, ...headers };
    const stream = session.request(all, { endStream: body === undefined });
    let status = 0;
    let received = {};
    const chunks: Buffer[] = [];
    stream.on('response', (head) => {
      status = head[':status'] ?? 0;
      received = head;
    });
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('error', reject);
    stream.on('close', () => {
      if (status === 0 || stream.rstCode !== 0) reject(new Error(`stream closed with code ${stream.rstCode}`));
      else resolve(httpResponse(status, received, chunks));
    });
    if (body !== undefined) stream.end(body);
  });
}

/** As `call` of http.ts, over a new HTTP/2 connection. */
export async function callHttp2(
  chain: Pick<Chain, 'url' | 'admin'>,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<HttpResponse> {
  const { ca, cert, key } = chain.admin;
  const session = openSession(chain, options.admin === false ? { ca } : { ca, cert, key });
  try {
    return await ask(session, method, path, options);
  } finally {
    session.destroy();
  }
}
