import { readFileSync } from 'node:fs';
import { Pool } from 'undici';
import { exchange, openExchange, type OpenExchange } from './exchange.ts';
import { memoryMiB } from './processes.ts';
import { Server } from './server.ts';

/** A server that is started for each round: the contents of a file under `servers/`, see ServerOptions. */
export interface StartedTarget {
  readonly name: string;
  readonly command: readonly string[];
}

/** A running API server: its address, the client's credentials, and the ids of its processes (for memory). */
export interface RunningTarget {
  readonly name: string;
  readonly url: string;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly token?: string;
  readonly pids?: readonly number[];
}

export type TargetOptions = RunningTarget | StartedTarget;

/**
 * Parses `name=ours,url=https://127.0.0.1:6443,ca=FILE,cert=FILE,key=FILE,token=TEXT,pids=1:2:3`, or reads a StartedTarget from the given
 * JSON file. Throws Error for any other text.
 */
export function parseTarget(text: string): TargetOptions {
  return text.endsWith('.json') ? readStartedTarget(text) : parseRunningTarget(text);
}

function readStartedTarget(file: string): StartedTarget {
  const { name, command } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  if (typeof name !== 'string' || !Array.isArray(command) || !command.every((argument) => typeof argument === 'string'))
    throw new Error(`--target: ${file} does not hold {"name": "...", "command": ["...", ...]}`);
  return { name, command };
}

function parseRunningTarget(text: string): RunningTarget {
  const values = new Map<string, string>();
  for (const part of text.split(',')) {
    const at = part.indexOf('=');
    if (at <= 0) throw new Error(`--target: ${part} is not name=value`);
    values.set(part.slice(0, at), part.slice(at + 1));
  }
  const file = (name: string) => {
    const path = values.get(name);
    return path === undefined ? {} : { [name]: readFileSync(path, 'utf8') };
  };
  const url = values.get('url');
  if (url === undefined) throw new Error('--target needs url=');
  const token = values.get('token');
  const pids = values.get('pids');
  return {
    name: values.get('name') ?? url,
    url,
    ...file('ca'),
    ...file('cert'),
    ...file('key'),
    ...(token === undefined ? {} : { token }),
    ...(pids === undefined ? {} : { pids: pids.split(':').map(Number) }),
  };
}

export class Target {
  readonly name: string;
  readonly #pool: Pool;
  readonly #headers: Record<string, string>;
  readonly #server: Server | undefined;
  readonly #pids: readonly number[];

  private constructor(options: RunningTarget, connections: number, server?: Server) {
    this.name = options.name;
    this.#server = server;
    this.#pids = options.pids ?? [];
    this.#headers = { accept: 'application/json', 'user-agent': 'bench' };
    if (options.token !== undefined) this.#headers['authorization'] = `Bearer ${options.token}`;
    this.#pool = new Pool(options.url, {
      connections,
      pipelining: 1,
      // All targets are measured with one request at a time per connection.
      allowH2: false,
      connect: {
        ...(options.ca === undefined ? { rejectUnauthorized: false } : { ca: options.ca }),
        ...(options.cert === undefined ? {} : { cert: options.cert }),
        ...(options.key === undefined ? {} : { key: options.key }),
      },
      headersTimeout: 120_000,
      bodyTimeout: 0,
    });
  }

  /** Connects to the target, and starts it first if it is a StartedTarget. Throws Error when it does not become ready. */
  static async open(options: TargetOptions, connections: number, etcdBinary: string): Promise<Target> {
    if ('url' in options) return new Target(options, connections);
    const server = await Server.start({ command: options.command, etcdBinary });
    const { url, token } = server;
    return new Target({ name: options.name, url, token }, connections, server);
  }

  /** Sends a request and waits for the whole response. Throws Error for a status of 400 and above that is not in `accept`. */
  async call(method: Method, path: string, options: CallOptions = {}): Promise<void> {
    await this.#exchange(method, path, options, false);
  }

  /** As `call`; returns the body of the response. */
  async read(method: Method, path: string, options: CallOptions = {}): Promise<Buffer> {
    return this.#exchange(method, path, options, true);
  }

  async #exchange(method: Method, path: string, options: CallOptions, keepBody: boolean): Promise<Buffer> {
    const { body = null, contentType = 'application/json', accept = [] } = options;
    const headers = body === null ? this.#headers : { ...this.#headers, 'content-type': contentType };
    const answer = await exchange(this.#pool, { method, path, headers, body }, keepBody);
    if (answer.status >= 400 && !accept.includes(answer.status))
      throw new Error(
        `${this.name}: ${method} ${path}: ${answer.status} ${answer.body.toString('utf8').slice(0, 300)}`,
      );
    return answer.body;
  }

  /** Opens a watch. `onChunk` is called with each chunk of bytes. Resolves when the response headers have arrived. */
  async watch(path: string, onChunk: (chunk: Buffer) => void): Promise<OpenExchange> {
    const watch = await openExchange(this.#pool, { method: 'GET', path, headers: this.#headers }, onChunk);
    if (watch.status !== 200) throw new Error(`${this.name}: watch ${path}: ${watch.status}`);
    return watch;
  }

  /** The start-up time in milliseconds: with a running store, and including the start of the store. Undefined when the target was already running. */
  get startUp(): { readonly readyMs: number; readonly withStoreMs: number } | undefined {
    if (this.#server === undefined) return undefined;
    const { readyMs, storeReadyMs } = this.#server;
    return { readyMs, withStoreMs: readyMs + storeReadyMs };
  }

  /** The memory of the target's processes in MiB, without and with a separate store. Undefined when the processes are not known. */
  memory(): { readonly server: number; readonly withStore: number } | undefined {
    if (this.#server !== undefined) {
      const server = this.#server.memoryMiB();
      return { server, withStore: server + this.#server.storeMemoryMiB() };
    }
    if (this.#pids.length === 0) return undefined;
    const server = memoryMiB(this.#pids);
    return { server, withStore: server };
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
    await this.#server?.stop();
  }
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface CallOptions {
  readonly body?: string | Buffer;
  readonly contentType?: string;
  /** Statuses of 400 and above that are not errors. */
  readonly accept?: readonly number[];
}
