import { once } from 'node:events';
import http from 'node:http';
import http2 from 'node:http2';
import { text } from 'node:stream/consumers';
import { connect, type TLSSocket } from 'node:tls';
import { pemOf, type ClientChain } from './chains.fixture.ts';

/** The protocols of a connection. */
export const forms = ['TLSv1.2 http/1.1', 'TLSv1.3 http/1.1', 'TLSv1.2 h2', 'TLSv1.3 h2'] as const;
/** One of them. */
export type Form = (typeof forms)[number];

/** What a client sends. */
export interface Asked {
  readonly form: Form;
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What a server responds with; the status is 0 when there is no response, and the body says why. */
export interface Received {
  readonly status: number;
  readonly body: string;
}

const maxSilenceMs = 30_000;

/** Sends a request on a new connection for which the client presents a chain. The server's certificate is not verified. */
export async function present(url: string, { presented, key }: ClientChain, asked: Asked): Promise<Received> {
  const [version, protocol] = asked.form.split(' ') as ['TLSv1.2' | 'TLSv1.3', 'http/1.1' | 'h2'];
  const { hostname: host, port } = new URL(url);
  const socket = connect({
    ...{ host, port: Number(port), minVersion: version, maxVersion: version, ALPNProtocols: [protocol] },
    // The server decides about the client's keys and certificates, not OpenSSL.
    ...{ rejectUnauthorized: false, ciphers: 'DEFAULT@SECLEVEL=0' },
    ...{ cert: pemOf(presented), key: key.export({ type: 'pkcs8', format: 'pem' }) },
  });
  socket.setTimeout(maxSilenceMs, () => socket.destroy(new Error('no response')));
  // Under TLS 1.3 a server refuses certificates when the client has already ended the handshake.
  const failed = new Promise<never>((_resolve, reject) => {
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the connection was closed')));
  });
  try {
    const exchange = once(socket, 'secureConnect').then(() =>
      protocol === 'h2' ? overHttp2(socket, asked) : overHttp1(socket, asked),
    );
    return await Promise.race([exchange, failed]);
  } catch (error) {
    return { status: 0, body: String(error) };
  } finally {
    socket.destroy();
  }
}

function overHttp1(socket: TLSSocket, { method, path, headers = {}, body = '' }: Asked): Promise<Received> {
  const request = http.request({ method, path, headers, createConnection: () => socket });
  request.end(body);
  return new Promise((resolve, reject) => {
    request.once('error', reject);
    request.once('response', (response) => {
      text(response).then((received) => resolve({ status: response.statusCode ?? 0, body: received }), reject);
    });
  });
}

function overHttp2(socket: TLSSocket, { method, path, headers = {}, body = '' }: Asked): Promise<Received> {
  const session = http2.connect('https://server', { createConnection: () => socket });
  const stream = session.request({ ':method': method, ':path': path, ...headers }, { endStream: false });
  stream.end(body);
  return new Promise((resolve, reject) => {
    session.once('error', reject);
    stream.once('error', reject);
    stream.once('response', (response) => {
      text(stream).then((received) => resolve({ status: response[':status'] ?? 0, body: received }), reject);
    });
  });
}
