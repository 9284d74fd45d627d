import { type ClientHttp2Session, connect } from 'node:http2';
import { asError } from '@apichain/meta';
import { Pool } from 'undici';
import { exchange, openExchange, type OpenExchange } from '../exchange.ts';

/** How a client reaches a server. */
export interface ServerAddress {
  readonly url: string;
  readonly token: string;
}

/** What the measurement needs of an HTTP client. Bodies are JSON. */
export interface LatencyClient {
  /** Resolves with the body when the whole answer has arrived. Throws Error for a status of 400 and above that is not in `accept`. */
  call(method: 'POST' | 'PATCH' | 'GET', path: string, body?: string, accept?: readonly number[]): Promise<Buffer>;
  /** Opens a watch. `onChunk` is called with each chunk of bytes. Resolves when the headers have arrived. Throws Error for another status than 200. */
  watch(path: string, onChunk: (chunk: Buffer) => void): Promise<void>;
  close(): Promise<void>;
}

const bodyType = (method: string) => (method === 'PATCH' ? 'application/merge-patch+json' : 'application/json');

function checkStatus(what: string, status: number, body: Buffer, accept: readonly number[]): void {
  if (status < 400 || accept.includes(status)) return;
  throw new Error(`${what}: ${String(status)} ${body.toString('utf8').slice(0, 300)}`);
}

/** A client with a connection for each watch and for each request in flight, over HTTP/1.1. */
export function http1Client({ url, token }: ServerAddress, connections: number): LatencyClient {
  const pool = new Pool(url, {
    connections,
    pipelining: 1,
    allowH2: false,
    connect: { rejectUnauthorized: false },
    headersTimeout: 60_000,
    bodyTimeout: 0,
  });
  const headers = { accept: 'application/json', authorization: `Bearer ${token}` };
  const watches: OpenExchange[] = [];
  return {
    call: async (method, path, body, accept = []) => {
      const all = body === undefined ? headers : { ...headers, 'content-type': bodyType(method) };
      const answer = await exchange(pool, { method, path, headers: all, body: body ?? null }, true);
      checkStatus(`${method} ${path}`, answer.status, answer.body, accept);
      return answer.body;
    },
    watch: async (path, onChunk) => {
      const watch = await openExchange(pool, { method: 'GET', path, headers }, onChunk);
      if (watch.status !== 200) throw new Error(`watch ${path}: ${String(watch.status)}`);
      watches.push(watch);
    },
    close: async () => {
      for (const watch of watches) watch.stop();
      await Promise.all(watches.map(({ done }) => done));
      await pool.destroy();
    },
  };
}

/** How many watches and calls share a connection: kube-apiserver allows 100 streams. */
const streamsPerSession = 90;

/** A client whose watches and calls share connections over HTTP/2, as those of a controller manager do. */
export function http2Client({ url, token }: ServerAddress): LatencyClient {
  const sessions: { session: ClientHttp2Session; watches: number }[] = [];
  const open = () => {
    const session = connect(url, { rejectUnauthorized: false });
    session.on('error', (error) => {
      throw error;
    });
    const entry = { session, watches: 0 };
    sessions.push(entry);
    return entry;
  };
  const calls = open();
  const common = { accept: 'application/json', authorization: `Bearer ${token}` };
  return {
    call: (method, path, body, accept = []) =>
      new Promise((resolve, reject) => {
        const type = body === undefined ? {} : { 'content-type': bodyType(method) };
        const stream = calls.session.request({ ':method': method, ':path': path, ...common, ...type });
        const chunks: Buffer[] = [];
        let status = 0;
        stream.on('response', (head) => (status = head[':status'] ?? 0));
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('error', reject);
        stream.on('end', () => {
          const bytes = Buffer.concat(chunks);
          try {
            checkStatus(`${method} ${path}`, status, bytes, accept);
            resolve(bytes);
          } catch (error) {
            reject(asError(error));
          }
        });
        stream.end(body);
      }),
    watch: (path, onChunk) =>
      new Promise((resolve, reject) => {
        const entry = sessions.find(({ watches }) => watches < streamsPerSession) ?? open();
        entry.watches += 1;
        const stream = entry.session.request({ ':method': 'GET', ':path': path, ...common });
        stream.on('response', (head) => {
          const status = head[':status'] ?? 0;
          if (status === 200) resolve();
          else reject(new Error(`watch ${path}: ${String(status)}`));
        });
        stream.on('data', onChunk);
        stream.on('error', reject);
      }),
    close: async () => {
      for (const { session } of sessions) session.destroy();
      return Promise.resolve();
    },
  };
}
