import http2 from 'node:http2';
import https from 'node:https';
import net from 'node:net';
import tls from 'node:tls';
import { WebSocket } from 'ws';

/*
 * Many watches in a process of their own, so that it can be killed: `node watch-clients.fixture.ts` with a description on its channel. Tells
 * how many watches have begun and how many have had the event that is looked for; `leave` lets a third of them go in good order and
 * another third by a reset.
 */

export type Protocol = 'HTTP/1.1' | 'HTTP/2' | 'WebSocket';

export interface WatchClients {
  readonly url: string;
  readonly protocol: Protocol;
  readonly credentials: { readonly ca: string; readonly cert: string; readonly key: string };
  /** One watch each. */
  readonly paths: readonly string[];
  /** Part of the event that every watch must get. */
  readonly event: string;
}

export interface WatchProgress {
  readonly begun: number;
  readonly delivered: number;
  /** What became of watches that ended before the event came. */
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
let told = '';

const tell = (): void => {
  const progress: WatchProgress = { begun, delivered, ended };
  const text = JSON.stringify(progress);
  if (text !== told) process.send?.(progress);
  told = text;
};
setInterval(tell, 50);

/** Takes what one watch is sent. */
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

/** Opened again when it is refused, as clients do: so many at once may be too many. */
function overHttp1(clients: WatchClients, path: string): Watch {
  const { url, credentials, event } = clients;
  const { hostname: host, port } = new URL(url);
  // Below TLS: only that connection can be reset.
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
    response.on('end', () => end('the answer ended'));
  });
  return {
    close: () => (again === undefined ? request.destroy() : again.close()),
    reset: () => (again === undefined ? socket.resetAndDestroy() : again.reset()),
  };
}

/** As many streams on a connection as a client that shares one between informers has. */
const streamsOfSession = 50;
let session: http2.ClientHttp2Session | undefined;
let streams = 0;

function overHttp2({ url, credentials, event }: WatchClients, path: string): Watch {
  if (session === undefined || streams++ % streamsOfSession === 0) {
    session = http2.connect(url, credentials);
    session.on('error', () => undefined);
  }
  const own = session;
  const stream = own.request({ ':path': path });
  stream.on('data', receiver(event)).on('error', () => undefined);
  return { close: () => stream.close(), reset: () => stream.close(http2.constants.NGHTTP2_CANCEL) };
}

function overWebSocket({ url, credentials, event }: WatchClients, path: string): Watch {
  const socket = new WebSocket(url.replace('https', 'wss') + path, { ...credentials, origin: 'https://example.com' });
  socket.on('message', receiver(event));
  socket.on('error', () => undefined);
  return { close: () => socket.close(), reset: () => socket.terminate() };
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
