import http2 from 'node:http2';
import https from 'node:https';
import net from 'node:net';
import tls from 'node:tls';
import { WebSocket } from 'ws';
import type { ClientCredentials } from './chain.ts';

/*
 * Opens many watches in a separate process, so that the process can be killed. It runs as `node watch-clients.fixture.ts` and receives its
 * task over the IPC channel. It reports how many watches have begun and how many have received the expected event. After the message
 * `leave`, it closes a third of the watches and resets another third.
 */

export type Protocol = 'HTTP/1.1' | 'HTTP/2' | 'WebSocket';

export interface WatchClients {
  readonly url: string;
  readonly protocol: Protocol;
  readonly credentials: ClientCredentials;
  /** The path of each watch. */
  readonly paths: readonly string[];
  /** A part of the event that every watch must receive. */
  readonly event: string;
}

export interface WatchProgress {
  readonly begun: number;
  readonly delivered: number;
  /** Watches that ended before the event, with the reason. */
  readonly ended: readonly string[];
}

interface Watch {
  close(): void;
  reset(): void;
}

let begun = 0;
let delivered = 0;
const ended: string[] = [];
const watches: Watch[] = [];
let sent = '';

const tell = (): void => {
  const progress: WatchProgress = { begun, delivered, ended };
  const text = JSON.stringify(progress);
  if (text !== sent) process.send?.(progress);
  sent = text;
};
setInterval(tell, 50);

/** Handles the data of one watch. */
function receiver(event: string): (piece: Buffer) => void {
  let text = '';
  return (piece) => {
    if (text === '') begun++;
    if (text.includes(event)) return;
    text += piece.toString();
    if (text.includes(event)) delivered++;
  };
}

const againMs = 100;

/** A refused watch is retried, as clients do, because the server may refuse so many watches at once. */
function overHttp1(clients: WatchClients, path: string): Watch {
  const { url, credentials, event } = clients;
  const { hostname: host, port } = new URL(url);
  // The TCP socket below TLS, because only a TCP connection can be reset.
  const socket = net.connect({ host, port: Number(port) });
  const createConnection = () => tls.connect({ ...credentials, socket, servername: 'localhost' });
  const request = https.get(`${url}${path}`, { createConnection });
  let again: Watch | undefined;
  const end = (why: string) => ended.push(`${path}: ${why}`);
  request.on('error', (error) => end(error.message));
  request.on('response', (response) => {
    if (response.statusCode !== 200) {
      response.resume();
      setTimeout(() => (again = overHttp1(clients, path)), againMs);
      return;
    }
    response.on('data', receiver(event)).on('error', (error) => end(error.message));
    response.on('end', () => end('the response ended'));
  });
  return {
    close: () => (again === undefined ? request.destroy() : again.close()),
    reset: () => (again === undefined ? socket.resetAndDestroy() : again.reset()),
  };
}

/** The number of streams on one connection, as with a client that shares a connection between informers. */
const streamsOfSession = 50;
let session: http2.ClientHttp2Session | undefined;
let streams = 0;

function overHttp2(clients: WatchClients, path: string): Watch {
  const { url, credentials, event } = clients;
  if (session === undefined || streams++ % streamsOfSession === 0) {
    session = http2.connect(url, credentials);
    // The test ends watches by resetting them and by stopping the server. It checks what remains, not how the connections ended.
    session.on('error', () => undefined);
  }
  const own = session;
  const stream = own.request({ ':path': path });
  let again: Watch | undefined;
  stream.on('error', () => undefined);
  stream.once('response', ({ ':status': status }) => {
    if (status === 200) stream.on('data', receiver(event));
    else {
      stream.close();
      setTimeout(() => (again = overHttp2(clients, path)), againMs);
    }
  });
  return {
    close: () => (again === undefined ? stream.close() : again.close()),
    reset: () => (again === undefined ? stream.close(http2.constants.NGHTTP2_CANCEL) : again.reset()),
  };
}

function overWebSocket(clients: WatchClients, path: string): Watch {
  const { url, credentials, event } = clients;
  const socket = new WebSocket(url.replace('https', 'wss') + path, { ...credentials, origin: 'https://example.com' });
  let again: Watch | undefined;
  socket.on('message', receiver(event));
  socket.on('error', () => undefined);
  socket.on('unexpected-response', () => {
    socket.terminate();
    setTimeout(() => (again = overWebSocket(clients, path)), againMs);
  });
  return {
    close: () => (again === undefined ? socket.close() : again.close()),
    reset: () => (again === undefined ? socket.terminate() : again.reset()),
  };
}

const open = { 'HTTP/1.1': overHttp1, 'HTTP/2': overHttp2, WebSocket: overWebSocket };

function leave(): void {
  for (const [i, watch] of watches.entries()) {
    if (i % 3 === 0) watch.close();
    else if (i % 3 === 1) watch.reset();
  }
}

process.on('message', (message: WatchClients | 'leave') => {
  if (message === 'leave') leave();
  else for (const path of message.paths) watches.push(open[message.protocol](message, path));
});
process.send?.({ begun, delivered, ended } satisfies WatchProgress);
