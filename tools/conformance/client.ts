import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse as parseYaml } from 'yaml';
import { httpTransport, type HttpTransportOptions, type Transport, type TransportRequest } from '@apichain/client';
import { linesOf } from '../servers/watch-lines.ts';

export interface Request {
  readonly method: TransportRequest['method'];
  /** The path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly anonymous?: boolean;
}

export interface Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The decoded body if it is JSON or YAML, otherwise the text. */
  readonly body: unknown;
}

/** The events of a watch, and why it ended. */
export interface WatchResponse extends Response {
  readonly events: readonly unknown[];
  readonly end: 'enough events' | 'time is up' | 'closed by the server';
}

const watchTimeMs = 3_000;
const responseTimeMs = 20_000;

/** The client of one API server, as its administrator and as an anonymous user. Records which objects were created. */
export class Client {
  readonly url: string;
  readonly #admin: Transport;
  readonly #anonymous: Transport;
  readonly #created = new Set<string>();

  constructor(options: HttpTransportOptions) {
    const { cert: _cert, key: _key, token: _token, ...nobody } = options;
    this.url = options.url;
    this.#admin = httpTransport({ ...options, userAgent: 'conformance' });
    this.#anonymous = httpTransport({ ...nobody, userAgent: 'conformance' });
  }

  /** The paths of the objects that requests created, in order. */
  get created(): readonly string[] {
    return [...this.#created];
  }

  /** Sends a request and reads the whole response. Rejects when the connection fails or the response is not complete in time. */
  async send(request: Request): Promise<Response> {
    const received = await this.#open({ ...request, signal: AbortSignal.timeout(responseTimeMs) });
    const { status, headers } = received;
    const response = { status, headers, body: decode(await buffer(received.body), headers) };
    this.#remember(request, response);
    return response;
  }

  /** Opens a watch, calls `during` once the server has responded, and reads events until there are enough or the timeout is reached. */
  async watch(request: Request, enough: number, during: () => Promise<void>): Promise<WatchResponse> {
    const abort = new AbortController();
    const { status, headers, body } = await this.#open({ ...request, signal: abort.signal, longRunning: true });
    if (status !== 200) {
      const bytes = await buffer(body);
      await during();
      return { status, headers, body: decode(bytes, headers), events: [], end: 'closed by the server' };
    }
    const events: unknown[] = [];
    let end: WatchResponse['end'] = 'closed by the server';
    const reading = (async () => {
      for await (const line of linesOf(body)) {
        events.push(JSON.parse(line));
        if (events.length < enough) continue;
        end = 'enough events';
        return;
      }
    })();
    await during();
    const timer = new AbortController();
    const timeUp = sleep(watchTimeMs, 'time is up' as const, { signal: timer.signal });
    const ended = reading.then(() => undefined);
    const first = await Promise.race([ended, timeUp]);
    if (first !== undefined) end = first;
    timer.abort();
    abort.abort();
    await Promise.allSettled([reading, timeUp]);
    return { status, headers, body: undefined, events, end };
  }

  async close(): Promise<void> {
    await Promise.all([this.#admin.close(), this.#anonymous.close()]);
  }

  #open({ anonymous, ...request }: Request & { signal?: AbortSignal; longRunning?: boolean }) {
    return (anonymous === true ? this.#anonymous : this.#admin).send(request);
  }

  #remember({ method, path }: Request, { status, body }: Response): void {
    const [route = ''] = path.split('?');
    if (status !== 201 || path.includes('dryRun=')) return;
    const { name } = (body as { metadata?: { name?: string } }).metadata ?? {};
    if (method !== 'POST') this.#created.add(route);
    else if (name !== undefined && collection.test(route)) this.#created.add(`${route}/${name}`);
  }
}

/** A path that objects are created at, but not a subresource. */
const collection = /^(\/api\/v1|\/apis\/[^/]+\/[^/]+)(\/namespaces\/[^/]+)?\/[^/]+$/;

function decode(bytes: Buffer, { 'content-type': type }: Response['headers']): unknown {
  const text = bytes.toString('utf8');
  if (String(type).startsWith('application/yaml')) return parseYaml(text) as unknown;
  if (!String(type).startsWith('application/json')) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}
