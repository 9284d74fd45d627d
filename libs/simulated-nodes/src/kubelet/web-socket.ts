import type { IncomingMessage } from 'node:http';
import { Duplex, PassThrough, Readable, Writable } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { CommandStreams } from './remote-command.ts';

/** The protocols of exec and attach, in order of preference. Version 5 signals the end of the input. */
const commandProtocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];
/** The protocol that carries SPDY for port forwarding. */
export const tunnelProtocol = 'SPDY/3.1+portforward.k8s.io';

const channels = { stdin: 0, stdout: 1, stderr: 2, status: 3, close: 255 } as const;

const upgrader = new WebSocketServer({
  noServer: true,
  perMessageDeflate: false,
  handleProtocols: (offered) => [...commandProtocols, tunnelProtocol].find((known) => offered.has(known)) ?? false,
});

/** The protocols that a client offers; empty if it does not ask for a WebSocket. */
export const offeredProtocols = ({ headers }: IncomingMessage): string[] =>
  headers.upgrade?.toLowerCase() === 'websocket'
    ? (headers['sec-websocket-protocol'] ?? '').split(',').map((protocol) => protocol.trim())
    : [];

export const supportsCommands = (offered: readonly string[]): boolean =>
  commandProtocols.some((known) => offered.includes(known));

export const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<WebSocket> =>
  new Promise((resolve) => upgrader.handleUpgrade(request, socket, head, resolve));

/** Which streams a client wants. */
export interface WantedStreams {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
}

/** The streams of exec and attach as channels of a WebSocket: the first byte of a message is the number of its channel. */
export function channelStreams(socket: WebSocket, wanted: WantedStreams): CommandStreams {
  const stdin = wanted.stdin ? new PassThrough() : undefined;
  const output = (channel: number, last = false): Writable =>
    new Writable({
      write: (chunk: Buffer, _encoding, done) => socket.send(Buffer.concat([Buffer.of(channel), chunk]), () => done()),
      final: (done) => {
        if (last) socket.close(1_000);
        done();
      },
    });
  socket.on('message', (data: Buffer) => {
    if (data[0] === channels.stdin) stdin?.write(data.subarray(1));
    if (data[0] === channels.close && data[1] === channels.stdin) stdin?.end();
  });
  const status = output(channels.status, true);
  const all = [
    wanted.stdout ? output(channels.stdout) : undefined,
    wanted.stderr ? output(channels.stderr) : undefined,
    status,
  ] as const;
  socket.on('error', () => socket.terminate());
  socket.on('close', () => {
    stdin?.end();
    for (const stream of all) stream?.destroy();
  });
  // An empty message tells the client that the streams are connected.
  socket.send(Buffer.of(wanted.stdout ? channels.stdout : wanted.stderr ? channels.stderr : channels.status));
  return { stdin, stdout: all[0], stderr: all[1], status };
}

/** The bytes of a tunnel. */
export function tunnelStream(socket: WebSocket): Duplex {
  const input = new Readable({ read: () => undefined });
  socket.on('message', (data: Buffer) => input.push(data));
  socket.on('close', () => input.push(null));
  socket.on('error', () => socket.terminate());
  const output = new Writable({
    write: (chunk: Buffer, _encoding, done) => socket.send(chunk, () => done()),
    final: (done) => {
      socket.close(1_000);
      done();
    },
  });
  return Duplex.from({ readable: input, writable: output });
}
