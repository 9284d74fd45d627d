import { once } from 'node:events';
import http2 from 'node:http2';
import http from 'node:http';
import { text } from 'node:stream/consumers';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { errorMessage } from '@apichain/meta';
import { pemOf, type ClientChain } from '@apichain/x509/chains.fixture';

/** The protocols of a connection. */
export const forms = ['TLSv1.2 http/1.1', 'TLSv1.3 http/1.1', 'TLSv1.2 h2', 'TLSv1.3 h2'] as const;
export type Form = (typeof forms)[number];

/** Whom a server takes a client for. */
export interface Answer {
  /** Empty when the client is refused. */
  readonly user: string;
  readonly groups: readonly string[];
  /** The status and user, or why there is no response. */
  readonly text: string;
}

const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const review = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' });
const common = { 'content-type': 'application/json', accept: 'application/json' };

/** Asks a server for the user of a client that presents a chain. The server's certificate is not verified. */
export async function present(
  url: string,
  { presented, key }: ClientChain,
  headers: Readonly<Record<string, string>>,
  form: Form,
): Promise<Answer> {
  const [version, protocol] = form.split(' ') as ['TLSv1.2' | 'TLSv1.3', 'http/1.1' | 'h2'];
  const { hostname: host, port } = new URL(url);
  const options: ConnectionOptions = {
    ...{ host, port: Number(port), minVersion: version, maxVersion: version, ALPNProtocols: [protocol] },
    // The server decides about the client's keys and certificates, not OpenSSL.
    ...{ rejectUnauthorized: false, ciphers: 'DEFAULT@SECLEVEL=0' },
    ...{ cert: pemOf(presented), key: key.export({ type: 'pkcs8', format: 'pem' }) },
  };
  const socket = connect(options);
  socket.setTimeout(30_000, () => socket.destroy(new Error('no response')));
  // Under TLS 1.3 a server refuses certificates when the client has already ended the handshake.
  const failed = new Promise<never>((_resolve, reject) => socket.once('error', reject));
  try {
    const exchange = once(socket, 'secureConnect').then(() =>
      protocol === 'h2' ? overHttp2(socket, headers) : overHttp1(socket, headers),
    );
    return answerOf(...(await Promise.race([exchange, failed])));
  } catch (error) {
    return { user: '', groups: [], text: errorMessage(error) };
  } finally {
    socket.destroy();
  }
}

async function overHttp1(socket: TLSSocket, headers: Readonly<Record<string, string>>): Promise<[number, string]> {
  const request = http.request({
    ...{ method: 'POST', path, headers: { ...common, ...headers }, createConnection: () => socket },
  });
  request.end(review);
  return await new Promise((resolve, reject) => {
    request.once('error', reject);
    request.once('response', (response) => {
      text(response).then((body) => resolve([response.statusCode ?? 0, body]), reject);
    });
  });
}

async function overHttp2(socket: TLSSocket, headers: Readonly<Record<string, string>>): Promise<[number, string]> {
  const session = http2.connect('https://server', { createConnection: () => socket });
  const stream = session.request({ ':method': 'POST', ':path': path, ...common, ...headers });
  return await new Promise((resolve, reject) => {
    session.once('error', reject);
    stream.once('error', reject);
    stream.once('response', (response) => {
      text(stream).then((body) => resolve([response[':status'] ?? 0, body]), reject);
    });
    stream.end(review);
  });
}

function answerOf(status: number, body: string): Answer {
  const { status: found } = JSON.parse(body) as { status?: { userInfo?: { username: string; groups?: string[] } } };
  const { username: user = '', groups = [] } = found?.userInfo ?? {};
  return { user, groups, text: `${status} ${user}` };
}
