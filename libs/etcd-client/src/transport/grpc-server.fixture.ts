import { freePort } from '@apichain/meta';
import { once } from 'node:events';
import { createServer, type Http2Server, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';

/** Answers one call. `path` is the path of the call. */
export type CallHandler = (stream: ServerHttp2Stream, message: Buffer, path: string) => void;

/** A gRPC server whose responses are defined by the test. */
export class TestServer {
  calls = 0;
  /** Called for every call as soon as it begins. */
  onStream: (stream: ServerHttp2Stream, path: string) => void = () => undefined;
  readonly #server: Http2Server;
  readonly #sessions = new Set<ServerHttp2Session>();

  constructor(handle: CallHandler) {
    this.#server = createServer();
    // Tests cut connections; the client under test reports it.
    this.#server.on('sessionError', () => undefined);
    this.#server.on('session', (session) => this.#sessions.add(session));
    this.#server.on('stream', (stream, headers) => {
      this.onStream(stream, String(headers[':path']));
      const chunks: Buffer[] = [];
      stream.on('error', () => undefined);
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        this.calls++;
        handle(stream, Buffer.concat(chunks).subarray(5), String(headers[':path']));
      });
    });
  }
  async listen(port?: number): Promise<string> {
    this.#server.listen(port ?? (await freePort()), '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${String((this.#server.address() as AddressInfo).port)}`;
  }
  close(): void {
    for (const session of this.#sessions) session.destroy();
    this.#server.close();
  }
}

/** Answers with the request message. */
export const succeed = (stream: ServerHttp2Stream, message: Buffer) => {
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  // Sent in two parts: a message may be split across any number of frames.
  stream.write(head);
  stream.end(message);
};
