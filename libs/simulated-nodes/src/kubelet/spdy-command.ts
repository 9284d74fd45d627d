import type { Duplex } from 'node:stream';
import type { CommandStreams } from './remote-command.ts';
import { SpdyConnection, type SpdyStream } from './spdy/connection.ts';
import type { WantedStreams } from './web-socket.ts';

/** The protocols of exec and attach over SPDY, in order of preference. */
const protocols = ['v4.channel.k8s.io', 'v3.channel.k8s.io', 'v2.channel.k8s.io'];

/** The protocol to use of those that a client offers. */
export const commandProtocolOf = (offered: readonly string[]): string | undefined =>
  protocols.find((known) => offered.includes(known));

/** The streams of exec and attach over SPDY, once the client has opened all that it wants. */
export function spdyStreams(
  transport: Duplex,
  wanted: WantedStreams & { readonly tty: boolean },
  protocol: string,
): { readonly streams: Promise<CommandStreams>; readonly ended: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<CommandStreams>();
  const types = [
    'error',
    ...(['stdin', 'stdout', 'stderr'] as const).filter((type) => wanted[type]),
    ...(wanted.tty && protocol !== 'v2.channel.k8s.io' ? ['resize'] : []),
  ];
  const opened = new Map<string, SpdyStream>();
  const connection = new SpdyConnection(transport, (stream) => {
    opened.set(stream.headers.get('streamtype') ?? '', stream);
    if (!types.every((type) => opened.has(type))) return;
    opened.get('resize')?.resume();
    const status = opened.get('error');
    if (status === undefined) return;
    // The command ends the connection when it has reported how it ended.
    status.on('finish', () => setImmediate(() => transport.end()));
    resolve({ stdin: opened.get('stdin'), stdout: opened.get('stdout'), stderr: opened.get('stderr'), status });
  });
  return { streams: promise, ended: connection.run() };
}
