import https from 'node:https';
import type { TestChain } from './test-chain.ts';
import type { TestUser } from './users.ts';

export interface Answer {
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
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { ca, cert, key } = user;
    const text = body === undefined ? undefined : JSON.stringify(body);
    const length = text === undefined ? {} : { 'content-length': Buffer.byteLength(text) };
    const headers = { 'content-type': 'application/json', 'user-agent': 'the-test', ...length };
    const request = https.request(`${chain.url}${path}`, { method, ca, cert, key, headers, agent: false }, (answer) => {
      let answered = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => (answered += chunk));
      answer.on('error', reject);
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          get json() {
            return JSON.parse(answered) as Record<string, unknown>;
          },
        }),
      );
    });
    request.on('error', reject);
    request.end(text);
  });
}
