import https from 'node:https';
import type { TestChain } from './test-chain.ts';
import type { TestUser } from './users.ts';

export interface CallResult {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly json: Record<string, unknown>;
}

/** Sends a request and reads the response. Rejects when the connection breaks before the response is complete. */
export function call(
  chain: TestChain,
  path: string,
  body?: object,
  user: TestUser = chain.admin,
  method = body === undefined ? 'GET' : 'POST',
): Promise<CallResult> {
  return new Promise((resolve, reject) => {
    const { ca, cert, key } = user;
    const text = body === undefined ? undefined : JSON.stringify(body);
    const length = text === undefined ? {} : { 'content-length': Buffer.byteLength(text) };
    const headers = { 'content-type': 'application/json', 'user-agent': 'the-test', ...length };
    const request = https.request(
      `${chain.url}${path}`,
      { method, ca, cert, key, headers, agent: false },
      (response) => {
        let received = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (received += chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            get json() {
              return JSON.parse(received) as Record<string, unknown>;
            },
          }),
        );
      },
    );
    request.on('error', reject);
    request.end(text);
  });
}
