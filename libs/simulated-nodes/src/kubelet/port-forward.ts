import type { Pod } from '@apichain/api/core/v1';
import type { Duplex } from 'node:stream';
import { intentionsOf } from '../pods/annotations.ts';
import { SpdyConnection, type SpdyStream } from './spdy/connection.ts';

/** The longest beginning of a request that is awaited, in bytes. */
const longestHead = 64 * 1024;
const request = /^[A-Z]+ \S+ HTTP\/1\.[01]\r\n/;

/** Forwards ports of a pod over SPDY: for each connection the client opens a stream for data and one for errors. */
export function forwardPorts(pod: Pod, transport: Duplex): Promise<void> {
  const connection = new SpdyConnection(transport, (stream) => {
    if (stream.headers.get('streamtype') === 'data') void servePort(pod, stream, Number(stream.headers.get('port')));
    // Errors are never reported.
    else stream.resume().end();
  });
  return connection.run();
}

/** What a port of a simulated pod does: responds to an HTTP request with the annotation `http` or a line about itself, and echoes everything else. */
async function servePort(pod: Pod, stream: SpdyStream, port: number): Promise<void> {
  let head = Buffer.alloc(0);
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      if (head.length === 0 && !/^[A-Z]/.test(chunk.toString('latin1', 0, 1))) {
        await echo(stream, chunk);
        break;
      }
      head = Buffer.concat([head, chunk]);
      if (request.test(head.toString('latin1')) && head.includes('\r\n\r\n')) {
        stream.write(response(pod, port));
        break;
      }
      if (head.length > longestHead || (head.includes('\n') && !request.test(head.toString('latin1')))) {
        await echo(stream, head);
        break;
      }
    }
  } catch {
    // The client has closed the connection.
    stream.destroy();
  }
  stream.end();
}

async function echo(stream: SpdyStream, first: Buffer): Promise<void> {
  stream.write(first);
  for await (const chunk of stream as AsyncIterable<Buffer>) stream.write(chunk);
}

function response(pod: Pod, port: number): string {
  const { namespace = '', name = '' } = pod.metadata;
  const containers = pod.spec?.containers ?? [];
  const serving = containers.find(({ ports }) => ports?.some(({ containerPort }) => containerPort === port) === true);
  const { http } = intentionsOf(pod).ofContainer((serving ?? containers[0])?.name ?? '');
  const body = http ?? `simulated pod ${namespace}/${name}, port ${port}\n`;
  const head = [
    'HTTP/1.1 200 OK',
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
