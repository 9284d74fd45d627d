import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { pipeline, type Duplex } from 'node:stream';

export interface UpgradeRequest {
  /** Where the backend is, e.g. `https://host:6443`. */
  readonly origin: string;
  /**
   * What is asked for, as the client wrote it: it was authorized as that. Read as a URL it might name another host, or after `..` another
   * namespace.
   */
  readonly target: string;
  readonly method: string;
  /** Flat list of names and values, Connection and Upgrade included. */
  readonly headers: readonly string[];
  /** Makes the connections over TLS. */
  readonly agent: https.Agent;
  /** Unix socket of the backend; then the host of the origin is only what is told to it. */
  readonly socketPath?: string;
}

const refusalTimeoutMs = 10_000;

/**
 * Asks the backend for the upgrade and joins the two connections; what the backend says instead of 101 is passed on as it is.
 * Resolves when both are closed.
 */
export function relayUpgrade(options: UpgradeRequest, socket: Duplex, head: Buffer): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => resolve();
    const outgoing = requestTo(options);
    socket.once('close', () => {
      outgoing.destroy();
      finish();
    });
    outgoing.on('upgrade', (answer, backend, backendHead) => {
      socket.write(headOf(answer));
      if (backendHead.length > 0) socket.write(backendHead);
      if (head.length > 0) backend.write(head);
      pipeline(socket, backend, () => socket.destroy());
      pipeline(backend, socket, () => backend.destroy());
    });
    outgoing.on('response', (answer) => {
      socket.write(headOf(answer));
      answer.setTimeout(refusalTimeoutMs, () => answer.destroy());
      pipeline(answer, socket, finish);
    });
    outgoing.on('error', (error) => {
      if (socket.writable) socket.end(refusal(error.message));
      finish();
    });
    outgoing.end();
  });
}

function requestTo({ origin, target, method, headers, agent, socketPath }: UpgradeRequest): http.ClientRequest {
  const options = { method, path: target, headers: [...headers, 'Host', new URL(origin).host] };
  if (socketPath === undefined) return https.request(origin, { ...options, agent });
  return http.request({ ...options, socketPath, agent: false });
}

function headOf(answer: IncomingMessage): string {
  let text = `HTTP/1.1 ${answer.statusCode ?? 502} ${answer.statusMessage ?? ''}\r\n`;
  const raw = answer.rawHeaders;
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i] ?? '';
    if (answer.statusCode !== 101 && isConnectionHeader(name)) continue;
    text += `${name}: ${raw[i + 1] ?? ''}\r\n`;
  }
  return `${text}${answer.statusCode === 101 ? '' : 'Connection: close\r\n'}\r\n`;
}

const isConnectionHeader = (name: string) =>
  ['connection', 'keep-alive', 'transfer-encoding'].includes(name.toLowerCase());

function refusal(message: string): string {
  const body = `${message}\n`;
  return (
    'HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n' +
    `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}
