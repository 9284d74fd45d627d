import { get as httpGet } from 'node:http';
import { get as httpsGet, type RequestOptions } from 'node:https';

/** A response as text. */
export interface Page {
  readonly status: number;
  readonly text: string;
}

/** Reads a page of a server over a new connection. Certificates are not verified. Rejects with the error of Node when there is no whole response. */
export function get(url: string, options: RequestOptions = {}): Promise<Page> {
  return new Promise((resolve, reject) => {
    const send = url.startsWith('https:') ? httpsGet : httpGet;
    const all = { agent: false, rejectUnauthorized: false, timeout: 10_000, ...options } as const;
    const request = send(url, all, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      response.on('error', reject);
    });
    request.on('timeout', () => request.destroy(new Error('no response')));
    request.on('error', reject);
  });
}

/** The header of a bearer token. */
export const bearer = (token: string): { readonly authorization: string } => ({ authorization: `Bearer ${token}` });

/** A condition: whether a server returns 200, in milliseconds that may be given. */
export const isOk = (url: string, token?: string, timeout?: number) => async (): Promise<boolean> => {
  const headers = token === undefined ? {} : bearer(token);
  const page = await get(url, { headers, ...(timeout === undefined ? {} : { timeout }) }).catch(() => undefined);
  return page?.status === 200;
};
