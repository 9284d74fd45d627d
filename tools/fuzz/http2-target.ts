import http2 from 'node:http2';
import { targetOf, type FuzzRequest } from './request.ts';
import { readResponse, type Outcome, type TargetOptions } from './target.ts';

/** Node's client resets streams when its connection holds more than this, which many large requests at once do with its default of 10. */
const sessionMemoryMb = 1_000;

/** A server under test, over one connection of HTTP/2. */
export class Http2Target {
  readonly #options: TargetOptions;
  #session: http2.ClientHttp2Session | undefined;

  constructor(options: TargetOptions) {
    this.#options = options;
  }

  /** Sends a request. With `unread` no byte of the body is taken, and the stream ends after three seconds. */
  send(request: FuzzRequest, unread = false): Promise<Outcome> {
    const { token, timeout } = this.#options;
    const headers = {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...request.headers,
      ':method': request.method,
      ':path': targetOf(request),
    };
    return new Promise((resolve) => {
      const stream = this.#connected().request(headers, { endStream: request.body === undefined });
      const deadline = setTimeout(() => {
        resolve({ kind: 'timeout' });
        stream.close(http2.constants.NGHTTP2_CANCEL);
      }, timeout);
      const closed = () => ended('the stream was closed');
      stream.once('response', ({ ':status': status = 0 }) => {
        clearTimeout(deadline);
        stream.off('close', closed);
        void readResponse(status, stream, unread).then(resolve);
      });
      // After the response has started, readResponse reports its errors.
      const ended = (message: string) => {
        clearTimeout(deadline);
        resolve({ kind: 'reset', message });
      };
      stream.on('error', (error: Error) => ended(error.message));
      stream.once('close', closed);
      if (request.body !== undefined) stream.end(request.body);
    });
  }

  close(): void {
    this.#session?.destroy();
  }

  #connected(): http2.ClientHttp2Session {
    if (this.#session?.closed === false && !this.#session.destroyed) return this.#session;
    const session = http2.connect(this.#options.url, {
      maxSessionMemory: sessionMemoryMb,
      rejectUnauthorized: this.#options.insecureSkipTlsVerify !== true,
    });
    // Its streams report why the connection has ended.
    session.on('error', () => session.destroy());
    return (this.#session = session);
  }
}
