import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { parserLimits, refusalText } from './head-limits.ts';

/** Milliseconds after which an idle connection is closed. */
export const idleTimeoutMs = 90_000;
/** Milliseconds before a refused connection is destroyed. Without this delay, a client that is still sending might not get the error. */
const lingerMs = 500;
const upgradeProtocols: ReadonlySet<string> = new Set(['websocket', 'spdy/3.1']);

/** Options of every HTTP/1.1 server: the limits of kube-apiserver. */
export const http1Limits = {
  maxHeaderSize: parserLimits.maxHeaderSize,
  keepAliveTimeout: idleTimeoutMs,
  headersTimeout: 32_000,
  requestTimeout: 0,
  noDelay: true,
  shouldUpgradeCallback: (request: IncomingMessage) =>
    upgradeProtocols.has((request.headers.upgrade ?? '').toLowerCase()),
} as const;

/** Responds to input that is not valid HTTP with a short error. The process never crashes because of such input. */
export function respondToClientError(error: Error, socket: Duplex): void {
  // Called again for each further chunk of invalid input.
  if (socket.writableEnded) return;
  const code = 'code' in error ? error.code : undefined;
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const line = code === 'HPE_HEADER_OVERFLOW' ? refusalText[431] : refusalText[400];
  const cutOff = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(cutOff));
  socket.end(`HTTP/1.1 ${line}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${line}`);
}

const ignored = (): void => undefined;

/**
 * Makes Node's HTTP/1 parser take what a TLS connection receives from the stream. By default it takes it from below the stream, and then a large request that arrives
 * before the response to the one before has been sent is refused with HPE_PAUSED: Node pauses the parser, but the connection passes on all that it has decrypted.
 * To be called after the server has taken the connection.
 */
export function readThroughStream(socket: Duplex): void {
  // As soon as somebody listens for data, the parser gets it from the stream, too, and keeps to that.
  socket.on('data', ignored);
  socket.off('data', ignored);
}
