import type { IncomingMessage, ServerResponse } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { parseJson, parseYaml } from '@apichain/meta';

/** The size limit of recorded bodies. Nothing is kept of a larger body. */
const maxBodyBytes = 2 ** 20;

/** The bodies of one request and its response. */
export interface ExchangeBodies {
  /** The body of the request. Undefined when there was none, or when it was larger than 1 MiB. */
  readonly request: Buffer | undefined;
  readonly response: Buffer | undefined;
}

class Bytes {
  #chunks: Buffer[] = [];
  #length = 0;

  add(chunk: unknown, encoding?: unknown): void {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return;
    const bytes =
      typeof chunk === 'string'
        ? Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8')
        : Buffer.from(chunk);
    this.#length += bytes.length;
    if (this.#length > maxBodyBytes) this.#chunks = [];
    else this.#chunks.push(bytes);
  }

  get all(): Buffer | undefined {
    return this.#length === 0 || this.#length > maxBodyBytes ? undefined : Buffer.concat(this.#chunks);
  }
}

/** Records the bodies of a request and its response from now on, without consuming or delaying either. */
export function recordBodies(
  request: IncomingMessage,
  response: ServerResponse,
  parts: { readonly request: boolean; readonly response: boolean },
): ExchangeBodies {
  const sent = new Bytes();
  const received = new Bytes();
  if (parts.request) {
    // A `data` listener would start the stream before its reader is attached.
    const emit = request.emit.bind(request) as (event: string | symbol, ...args: unknown[]) => boolean;
    request.emit = (event: string | symbol, ...args: unknown[]) => {
      if (event === 'data') sent.add(args[0]);
      return emit(event, ...args);
    };
  }
  if (parts.response) {
    const listenTo = (method: 'write' | 'end') => {
      const original = response[method].bind(response) as (...args: unknown[]) => unknown;
      const listening = (...args: unknown[]) => {
        received.add(args[0], args[1]);
        return original(...args);
      };
      Object.defineProperty(response, method, { value: listening, configurable: true, writable: true });
    };
    listenTo('write');
    listenTo('end');
  }
  return {
    get request() {
      return sent.all;
    },
    get response() {
      const bytes = received.all;
      return bytes !== undefined && response.getHeader('content-encoding') === 'gzip' ? gunzipSync(bytes) : bytes;
    },
  };
}

/** The document in a JSON or YAML body. Undefined for other content types. */
export function documentOf(body: Buffer | undefined, contentType: string): unknown {
  if (body === undefined) return undefined;
  const isYaml = contentType.includes('yaml');
  if (!isYaml && contentType !== '' && !/\bjson\b/.test(contentType)) return undefined;
  try {
    return isYaml ? parseYaml(body.toString()) : parseJson(body);
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}
