import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { WatchEvent, WatchStream } from '@apichain/storage';
import type { SerializerName } from '@apichain/request';
import { findScope, takeUpgrade } from '@apichain/request';
import type * as WebSockets from 'ws';
import { createRequire } from 'node:module';
import { lazy } from '@apichain/meta';

const require = createRequire(import.meta.url);

/** The server that upgrades requests to WebSockets. The library is loaded on first use. */
const webSocketUpgrader = lazy((): WebSockets.WebSocketServer => {
  const { WebSocketServer } = require('ws') as typeof WebSockets;
  return new WebSocketServer({ noServer: true, perMessageDeflate: false });
});

/** The length prefix of each message of a protobuf stream, in bytes. WebSocket messages need no prefix. */
const protobufPrefix = 4;

/** Other upgrades that a client offers are ignored; such a client gets a chunked stream. */
export const wantsWebSocket = (request: IncomingMessage): boolean =>
  findScope(request)?.pendingUpgrade !== undefined && request.headers.upgrade?.toLowerCase() === 'websocket';

const isUri = (text: string): boolean => text.startsWith('/') || /^[a-z][a-z0-9+.-]*:/i.test(text);

/**
 * The status line of a refused handshake, or undefined. As in the Go library, the Origin header is required, and a list
 * of several subprotocols is refused. Source: golang.org/x/net/websocket, whose Handler serves watches.
 */
function refusal({ headers }: IncomingMessage): string | undefined {
  if (!isUri(headers.origin ?? '')) return '403 Forbidden';
  return (headers['sec-websocket-protocol'] ?? '').includes(',') ? '400 Bad Request' : undefined;
}

function openWebSocket(request: IncomingMessage): Promise<WebSocket | undefined> {
  const upgrade = takeUpgrade(request);
  if (upgrade === undefined) return Promise.resolve(undefined);
  const { socket, head }: { socket: Duplex; head: Buffer } = upgrade;
  const refused = refusal(request);
  if (refused !== undefined) {
    socket.end(`HTTP/1.1 ${refused}\r\n\r\n`);
    return Promise.resolve(undefined);
  }
  return new Promise((resolve) => {
    socket.once('close', () => resolve(undefined));
    webSocketUpgrader().handleUpgrade(request, socket, head, (webSocket) => resolve(webSocket));
  });
}

function sent(webSocket: WebSocket, message: Buffer, binary: boolean): Promise<boolean> {
  return new Promise((resolve) => {
    webSocket.send(message, { binary }, (error) => resolve(!error));
  });
}

/** Encodes the events of one watch. */
interface EventEncoder {
  /** The frame of an event, or a promise of it; undefined ends the watch. */
  encode(event: WatchEvent): Buffer | undefined | Promise<Buffer | undefined>;
  /** To be called before each event. The promise resolves when the work may go on; undefined if it need not wait. */
  rest(): Promise<void> | undefined;
}

/**
 * Serves a watch over a WebSocket: one message per event, as text if it is JSON. The next event is encoded when the connection has taken
 * the last one.
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes
 */
export async function serveWebSocket(
  request: IncomingMessage,
  stream: WatchStream,
  encoder: EventEncoder,
  serializer: SerializerName,
): Promise<void> {
  const webSocket = await openWebSocket(request);
  if (webSocket === undefined) return;
  findScope(request)?.initialized();
  webSocket.on('close', () => stream.stop());
  webSocket.on('error', () => stream.stop());
  const skipped = serializer === 'protobuf' ? protobufPrefix : 0;
  for (let events = await stream.next(); events !== undefined; events = await stream.next()) {
    for (const event of events) {
      await encoder.rest();
      const frame = await encoder.encode(event);
      if (frame === undefined) {
        webSocket.close();
        return;
      }
      if (!(await sent(webSocket, frame.subarray(skipped), serializer !== 'json'))) return;
    }
  }
  webSocket.close();
}
