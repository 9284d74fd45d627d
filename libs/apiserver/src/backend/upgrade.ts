import type { IncomingMessage } from 'node:http';
import { pipeline, type Duplex } from 'node:stream';
import { requestBackend, type Backend, type BackendRequest } from './backend.ts';

/** What a backend answers to a request for an upgrade; `connection` is there when it agreed (101). */
export interface UpgradeAnswer {
  readonly answer: IncomingMessage;
  readonly connection?: { readonly socket: Duplex; readonly head: Buffer };
}

const refusalTimeoutMs = 10_000;

/** Asks for an upgrade; the headers say which. Rejects with Error when there is no answer. */
export function requestUpgrade(backend: Backend, request: BackendRequest): Promise<UpgradeAnswer> {
  return new Promise((resolve, reject) => {
    const outgoing = requestBackend(backend, { ...request, headers: withLength(request) });
    outgoing.on('upgrade', (answer, socket, head) => resolve({ answer, connection: { socket, head } }));
    outgoing.on('response', (answer) => resolve({ answer }));
    outgoing.on('error', reject);
    outgoing.end();
  });
}

/** A POST whose length is not told would get an empty chunk for its body, and that would be the first thing said over the connection. */
function withLength({ method, headers }: BackendRequest): readonly string[] {
  const isTold = headers.some((name, index) => index % 2 === 0 && name.toLowerCase() === 'content-length');
  return method === 'GET' || isTold ? headers : [...headers, 'Content-Length', '0'];
}

/**
 * Joins the client's connection and the backend's; a refusal is passed on as it is, and ends the connection. Resolves when
 * both are closed.
 */
export function joinUpgrade({ answer, connection }: UpgradeAnswer, socket: Duplex, head: Buffer): Promise<void> {
  return new Promise((resolve) => {
    socket.write(headOf(answer));
    if (connection === undefined) {
      answer.setTimeout(refusalTimeoutMs, () => answer.destroy());
      pipeline(answer, socket, () => resolve());
      return;
    }
    const { socket: backend, head: backendHead } = connection;
    if (backendHead.length > 0) socket.write(backendHead);
    if (head.length > 0) backend.write(head);
    pipeline(socket, backend, () => socket.destroy());
    pipeline(backend, socket, () => {
      backend.destroy();
      resolve();
    });
  });
}

/** Both in one, for a client's connection that was taken over before: without an answer the client reads why, as text. */
export async function relayUpgrade(
  backend: Backend,
  request: Omit<BackendRequest, 'signal'>,
  socket: Duplex,
  head: Buffer,
): Promise<void> {
  const gone = new AbortController();
  socket.once('close', () => gone.abort());
  let answer: UpgradeAnswer;
  try {
    answer = await requestUpgrade(backend, { ...request, signal: gone.signal });
  } catch (error) {
    if (socket.writable) socket.end(refusal(error instanceof Error ? error.message : String(error)));
    return;
  }
  await joinUpgrade(answer, socket, head);
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
