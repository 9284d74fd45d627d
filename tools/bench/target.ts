import type { HttpTransportOptions } from '@apichain/client';
import { UsageError } from '../command/command.ts';
import { connectionOf } from '../command/credentials.ts';
import { HttpClient, type OpenExchange } from './exchange.ts';
import { memoryMiB } from '../servers/processes.ts';
import { readDescription, Server, type ServerDescription } from '../servers/server.ts';

/** A running API server, and the ids of its processes (for memory). */
export interface RunningTarget extends HttpTransportOptions {
  readonly name: string;
  readonly pids?: readonly number[];
}

/** A server that is started for each round is described by a file under `servers/`. */
export type TargetOptions = RunningTarget | ServerDescription;

/**
 * Parses `name=ours,url=https://127.0.0.1:6443,ca=FILE,cert=FILE,key=FILE,token=TEXT,pids=1:2:3`, or reads the description of a server from the
 * given JSON file. Throws Error for any other text.
 */
function parseTarget(text: string): TargetOptions {
  return text.endsWith('.json') ? readDescription('target', text) : parseRunningTarget(text);
}

/** The targets of the flag `--target`. Throws UsageError if there is none. */
export function targetsOf(texts: readonly string[] = []): TargetOptions[] {
  if (texts.length === 0) throw new UsageError('name at least one server');
  return texts.map(parseTarget);
}

/** As `targetsOf`, for targets that are started. Throws Error for one that runs. */
export function startedTargetsOf(texts: readonly string[] | undefined): ServerDescription[] {
  return targetsOf(texts).map((target, index) => {
    if ('command' in target) return target;
    throw new Error(`--target: ${texts?.[index]} is not a file that says how to start a server`);
  });
}

function parseRunningTarget(text: string): RunningTarget {
  const values = new Map<string, string>();
  for (const part of text.split(',')) {
    const at = part.indexOf('=');
    if (at <= 0) throw new Error(`--target: ${part} is not name=value`);
    values.set(part.slice(0, at), part.slice(at + 1));
  }
  const { url, name, pids, ...credentials } = Object.fromEntries(values);
  if (url === undefined) throw new Error('--target needs url=');
  return {
    ...connectionOf(url, { ...credentials, insecure: credentials['ca'] === undefined }),
    name: name ?? url,
    ...(pids === undefined ? {} : { pids: pids.split(':').map(Number) }),
  };
}

export class Target {
  readonly name: string;
  readonly #client: HttpClient;
  readonly #server: Server | undefined;
  readonly #pids: readonly number[];

  private constructor(options: RunningTarget, connections: number, server?: Server) {
    this.name = options.name;
    this.#server = server;
    this.#pids = options.pids ?? [];
    this.#client = new HttpClient(options, connections);
  }

  /** Connects to the target, and starts it first if it is described by a file. Throws Error when it does not become ready. */
  static async open(options: TargetOptions, connections: number, etcdBinary: string): Promise<Target> {
    if ('url' in options) return new Target(options, connections);
    const server = await Server.start({ command: options.command, etcdBinary });
    return new Target({ name: options.name, ...server.connection }, connections, server);
  }

  /** As `call` of the client. */
  call(...request: Parameters<HttpClient['call']>): Promise<void> {
    return this.#client.call(...request);
  }

  /** As `read` of the client. */
  read(...request: Parameters<HttpClient['read']>): Promise<Buffer> {
    return this.#client.read(...request);
  }

  /** As `watch` of the client. */
  watch(...request: Parameters<HttpClient['watch']>): Promise<OpenExchange> {
    return this.#client.watch(...request);
  }

  /** The start-up time in milliseconds: with a running store, and including the start of the store. Undefined when the target was already running. */
  get startUp(): { readonly readyMs: number; readonly withStoreMs: number } | undefined {
    if (this.#server === undefined) return undefined;
    const { readyMs, storeReadyMs } = this.#server;
    return { readyMs, withStoreMs: readyMs + storeReadyMs };
  }

  /** The processes of the target, without those of a separate store. */
  get pids(): readonly number[] {
    return this.#server?.pids ?? this.#pids;
  }

  /** The memory of the target's processes in MiB, without and with a separate store. Undefined when the processes are not known. */
  memory(): { readonly server: number; readonly withStore: number } | undefined {
    if (this.#server !== undefined) {
      const server = this.#server.memoryMiB();
      return { server, withStore: server + memoryMiB(this.#server.storePids) };
    }
    if (this.#pids.length === 0) return undefined;
    const server = memoryMiB(this.#pids);
    return { server, withStore: server };
  }

  async close(): Promise<void> {
    await this.#client.close();
    await this.#server?.stop();
  }
}
