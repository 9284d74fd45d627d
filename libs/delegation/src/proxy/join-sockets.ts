import { type IncomingMessage, validateHeaderName, validateHeaderValue } from 'node:http';
import { pipeline, type Duplex } from 'node:stream';
import type { PendingUpgrade } from '@apichain/request';

/** The other server's side of an upgraded connection. */
interface UpgradedConnection {
  /** The response with status 101. */
  readonly upstream: IncomingMessage;
  readonly socket: Duplex;
  /** The bytes that followed the response. */
  readonly head: Buffer;
}

/** Joins a client's connection and another server's, for any protocol. When one closes, the other is closed. */
export function joinSockets(client: PendingUpgrade, { upstream, socket, head }: UpgradedConnection): void {
  // The pipelines add listeners to those that the connection already has.
  socket.setMaxListeners(0);
  client.socket.write(headOf(upstream), 'latin1');
  if (head.length > 0) client.socket.write(head);
  if (client.head.length > 0) socket.write(client.head);
  pipeline(client.socket, socket, () => client.socket.destroy());
  pipeline(socket, client.socket, () => socket.destroy());
}

function headOf({ rawHeaders: raw }: IncomingMessage): string {
  let text = 'HTTP/1.1 101 Switching Protocols\r\n';
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const [name = '', value = ''] = raw.slice(i, i + 2);
    if (isHeader(name, value)) text += `${name}: ${value}\r\n`;
  }
  return `${text}\r\n`;
}

function isHeader(name: string, value: string): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}
