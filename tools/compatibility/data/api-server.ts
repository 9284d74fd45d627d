import { buffer } from 'node:stream/consumers';
import { httpTransport, type Transport, type TransportRequest, type TransportResponse } from '@apichain/client';
import { isOk } from '../../servers/get.ts';
import { Process } from '../../servers/process.ts';
import { linesOf } from '../../servers/watch-lines.ts';
import { isRecord, type KubeObject } from '@apichain/meta';

/** An event of a watch as the server sent it. */
export interface WatchLine {
  readonly type: string;
  readonly object: KubeObject;
}

const isWatchLine = (line: unknown): line is WatchLine =>
  isRecord(line) && typeof line['type'] === 'string' && isRecord(line['object']);

const readyTimeoutMs = 60_000;
const responseTimeoutMs = 20_000;
const protobuf = 'application/vnd.kubernetes.protobuf';

/** A whole response. */
export interface RawResponse {
  readonly status: number;
  readonly bytes: Buffer;
}

export interface ApiServerOptions {
  /** e.g. `kube-apiserver`. */
  readonly name: string;
  readonly command: readonly string[];
  readonly logFile: string;
  readonly port: number;
  /** A bearer token of system:masters. */
  readonly token: string;
}

/** One of the API servers that share an etcd. It can be stopped and started again. */
export class ApiServer {
  readonly name: string;
  readonly url: string;
  readonly #options: ApiServerOptions;
  #process: Process | undefined;
  #transport: Transport | undefined;

  constructor(options: ApiServerOptions) {
    this.name = options.name;
    this.url = `https://127.0.0.1:${options.port}`;
    this.#options = options;
  }

  /** Throws Error when the server is not ready in time. `flags` are added to its command. */
  async start(flags: readonly string[] = []): Promise<void> {
    const { command, token, logFile } = this.#options;
    this.#transport = httpTransport({ url: this.url, token, insecureSkipTlsVerify: true, connections: 512 });
    this.#process = new Process([...command, ...flags], logFile).start();
    await this.#process.until(isOk(`${this.url}/readyz`, token), readyTimeoutMs);
  }

  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    await this.#process?.stop(signal);
    await this.#transport?.close();
    this.#process = undefined;
    this.#transport = undefined;
  }

  /** Sends a request and reads the whole response. Bodies are JSON unless `type` says otherwise. */
  async send(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    { body, type, accept = 'application/json' }: { body?: unknown; type?: string; accept?: string } = {},
  ): Promise<RawResponse> {
    const patchType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const response = await this.#open().send({
      method,
      path,
      headers: { accept, ...(body === undefined ? {} : { 'content-type': type ?? patchType }) },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body) }),
      signal: AbortSignal.timeout(responseTimeoutMs),
    });
    return { status: response.status, bytes: await buffer(response.body) };
  }

  /** As `send`, for a response of 200 or 201 in JSON. Throws Error for any other. */
  async json<T>(...request: Parameters<ApiServer['send']>): Promise<T> {
    const { status, bytes } = await this.send(...request);
    const [method, path] = request;
    if (status !== 200 && status !== 201)
      throw new Error(`${this.name}: ${method} ${path}: ${status} ${bytes.toString()}`);
    return JSON.parse(bytes.toString()) as T;
  }

  /** Sends a request as it is, for clients that read the response themselves. Rejects while the server is stopped. */
  async forward(request: TransportRequest): Promise<TransportResponse> {
    return this.#open().send(request);
  }

  /** The response to a GET in JSON and in protobuf. Custom resources have no protobuf: their second response is a 406. */
  async inBothForms(path: string): Promise<{ readonly json: RawResponse; readonly protobuf: RawResponse }> {
    return { json: await this.send('GET', path), protobuf: await this.send('GET', path, { accept: protobuf }) };
  }

  /** Opens a watch. `onLine` gets each event. Resolves when the server has responded. `stop` ends it; `ended` resolves when either side did. */
  async watch(
    path: string,
    onLine: (line: WatchLine) => void,
  ): Promise<{ stop(): Promise<void>; ended: Promise<void> }> {
    const abort = new AbortController();
    const request = { method: 'GET', path, signal: abort.signal, longRunning: true } as const;
    const { status, body } = await this.#open().send(request);
    if (status !== 200) {
      await body.dump();
      throw new Error(`${this.name}: GET ${path}: ${status}`);
    }
    // A stream that breaks off is reported with the watch's end; a line that is no event is an error.
    const ended = readLines(body, onLine).catch((error: unknown) => {
      if (error instanceof SyntaxError || !(error instanceof Error)) throw error;
    });
    return {
      ended,
      stop: async () => {
        abort.abort();
        await ended;
      },
    };
  }

  #open(): Transport {
    if (this.#transport === undefined) throw new Error(`${this.name} is not running`);
    return this.#transport;
  }
}

async function readLines(body: AsyncIterable<Buffer>, onLine: (line: WatchLine) => void): Promise<void> {
  for await (const text of linesOf(body)) {
    const line: unknown = JSON.parse(text);
    if (!isWatchLine(line)) throw new SyntaxError(`no watch event: ${text}`);
    onLine(line);
  }
}
