import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { parserLimits, refusalText } from './head-limits.ts';

/** Milliseconds that a connection may wait for its next request. */
export const idleTimeoutMs = 90_000;
/** Milliseconds that a client which is being refused may go on sending: closed under its hands it would not see why. */
const lingerMs = 500;
const upgradeProtocols: ReadonlySet<string> = new Set(['websocket', 'spdy/3.1']);

/** Options of every HTTP/1.1 server here: the limits of kube-apiserver. */
export const http1Limits = {
  maxHeaderSize: parserLimits.maxHeaderSize,
  keepAliveTimeout: idleTimeoutMs,
  headersTimeout: 32_000,
  requestTimeout: 0,
  noDelay: true,
  shouldUpgradeCallback: (request: IncomingMessage) =>
    upgradeProtocols.has((request.headers.upgrade ?? '').toLowerCase()),
} as const;

/** What cannot be read as HTTP gets a short answer, and never takes the process down. */
export function answerClientError(error: Error, socket: Duplex): void {
  // Each further piece of what could not be read comes here too.
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
