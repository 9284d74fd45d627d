import { get as httpsGet } from 'node:https';
import type { Server } from '../../servers/server.ts';
import type { Shape } from './shapes.ts';

/** What became of one read. */
export interface Read {
  /** 0 when the connection ended without a response. */
  readonly status: number;
  readonly bytes: number;
}

/** How long a client that does not read keeps its connection, in milliseconds. */
const unreadMs = 5_000;
const noProgressMs = 120_000;
const bookmark = Buffer.from('k8s.io/initial-events-end');

/**
 * Reads a collection once. A watch ends with the bookmark behind its initial state. With `unread` the client takes no byte of the response and ends
 * the connection after five seconds. Never throws: a refusal and a lost connection are results.
 */
export function readOnce(server: Server, token: string, path: string, shape: Shape, unread: boolean): Promise<Read> {
  return new Promise((resolve) => {
    let status = 0;
    let bytes = 0;
    const done = () => resolve({ status, bytes });
    const headers = { 'user-agent': 'bench', authorization: `Bearer ${token}`, ...shape.headers };
    const url = `${server.url}${path}${shape.query === '' ? '' : `?${shape.query}`}`;
    const request = httpsGet(url, { agent: false, rejectUnauthorized: false, headers }, (response) => {
      status = response.statusCode ?? 0;
      response.on('error', done).on('close', done);
      if (unread) return;
      let tail = Buffer.alloc(0);
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (!shape.watch) return;
        tail = Buffer.concat([tail, chunk]).subarray(-64 * 1024);
        if (tail.includes(bookmark)) request.destroy();
      });
    });
    request.on('error', done).setTimeout(noProgressMs, () => request.destroy());
    if (unread)
      setTimeout(() => {
        request.destroy();
        // A response that has come as a whole, and was not read, is not closed with its connection.
        done();
      }, unreadMs);
  });
}
