import { type ClientHttp2Session, connect } from 'node:http2';
import { asError } from '@apichain/meta';
import { bearer } from '../../servers/get.ts';
import { bodyType, checkStatus, type BenchClient } from '../exchange.ts';

/** How many watches and calls share a connection: kube-apiserver allows 100 streams. */
const streamsPerSession = 90;

/** A client whose watches and calls share connections over HTTP/2, as those of a controller manager do. */
export function http2Client({ url, token }: { readonly url: string; readonly token: string }): BenchClient {
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
  const common = { accept: 'application/json', ...bearer(token) };
  return {
    read: (method, path, { body, accept = [] } = {}) =>
      new Promise((resolve, reject) => {
        const type = body === undefined ? {} : { 'content-type': bodyType(method) };
        const stream = calls.session.request({ ':method': method, ':path': path, ...common, ...type });
        const chunks: Buffer[] = [];
        let status = 0;
        stream.on('response', (head) => (status = head[':status'] ?? 0));
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('error', reject);
        stream.on('end', () => {
          const response = { status, body: Buffer.concat(chunks) };
          try {
            checkStatus(`${method} ${path}`, response, accept);
            resolve(response.body);
          } catch (error) {
            reject(asError(error));
          }
        });
        stream.end(body);
      }),
    watch: (path, onChunk) =>
      new Promise<void>((resolve, reject) => {
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
