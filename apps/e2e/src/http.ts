import { request, type Agent } from 'node:https';
import type { Chain } from './chain.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  /** The body as it came: not decompressed. */
  readonly body: Buffer;
  readonly text: string;
  /** The decoded JSON body. */
  json<T = Record<string, unknown>>(): T;
}

export interface CallOptions {
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
  /** false = without the administrator's certificate. */
  readonly admin?: boolean;
  /** Connections to share; a new one each time unless given. */
  readonly agent?: Agent;
}

export function answerOf(status: number, headers: Answer['headers'], chunks: readonly Buffer[]): Answer {
  const body = Buffer.concat(chunks);
  const text = body.toString('utf8');
  return { status, headers, body, text, json: <T>() => JSON.parse(text) as T };
}

/** One HTTPS request to the chain as the administrator, unless told otherwise. */
export function call(
  chain: Pick<Chain, 'url' | 'admin'>,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Answer> {
  const { ca, cert, key } = chain.admin;
  return new Promise((resolve, reject) => {
    const outgoing = request(
      chain.url + path,
      {
        method,
        ca,
        ...(options.admin === false ? {} : { cert, key }),
        headers: {
          // Node frames the body of a DELETE only when its length is given.
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
          resolve(answerOf(incoming.statusCode ?? 0, incoming.headers, chunks));
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(options.body);
  });
}
