import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@apichain/meta';
import { writeCredentials, writeFrontProxy } from './credentials.ts';
import { type Etcd, startEtcd } from './etcd.ts';
import { isOk } from './get.ts';
import { Process } from './process.ts';
import { memoryMiB, processTree, processorMs } from './processes.ts';

/** A server that a file describes (`servers/*.json` of the tools). The file may have more members. */
export interface ServerDescription {
  readonly name: string;
  /** See ServerOptions. */
  readonly command: readonly string[];
}

/** The contents of a file that describes a server, which a flag names. Throws Error for any other contents. */
export function readDescription(flag: string, file: string): ServerDescription & Readonly<Record<string, unknown>> {
  const { name, command, ...more } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  if (typeof name !== 'string' || !isCommand(command))
    throw new Error(`--${flag}: ${file} does not hold {"name": "...", "command": ["...", ...]}`);
  return { ...more, name, command };
}

/** Whether a value is a list of words. */
export const isCommand = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((word) => typeof word === 'string');

/**
 * A server that is started with new data. The command line contains placeholders: `{port}` is the port to serve on. `{dir}` is a folder with `tokens.csv`
 * (a token of system:masters), `sa.key` and `sa.pub`. `{etcd}` is the URL of an etcd; if the command uses this placeholder, an etcd is started for this
 * server alone. `{frontProxy}` is a folder with the aggregator's `client.crt` and `client.key`, and their authority `ca.crt`. `{NAME}` is the environment
 * variable NAME.
 */
export interface ServerOptions {
  readonly command: readonly string[];
  /** The path of the etcd binary. */
  readonly etcdBinary: string;
  /** The folder of the server, which is kept. Default: a temporary one, which is removed in the end. */
  readonly dir?: string;
  /** The port to serve on. Default: a free one. */
  readonly port?: number;
  /** More lines of tokens.csv: `TOKEN,USER,UID,"GROUPS"`. */
  readonly tokens?: readonly string[];
  /** Writes to the folder before the server starts. */
  readonly prepare?: (dir: string) => Promise<unknown>;
}

const readyTimeoutMs = 60_000;
const pollMs = 5;

type Placeholders = Readonly<Record<string, string | undefined>>;

export class Server {
  readonly url: string;
  readonly token: string;
  /** Milliseconds from the start of the process to the first 200 of /readyz, with a store that is already running. */
  readyMs = 0;
  readonly #values: Placeholders;
  readonly #removes: string | undefined;
  readonly #etcd: Etcd | undefined;
  #process: Process;

  private constructor(values: Placeholders, token: string, command: readonly string[], etcd?: Etcd, removes?: string) {
    this.url = `https://127.0.0.1:${values['port']}`;
    this.token = token;
    this.#values = values;
    this.#etcd = etcd;
    this.#removes = removes;
    this.#process = this.#processOf(command);
  }

  /** Throws Error when the server or its etcd is not ready in time. Nothing keeps running in that case. */
  static async start(options: ServerOptions): Promise<Server> {
    const { command, tokens, prepare } = options;
    const dir = options.dir ?? mkdtempSync(join(tmpdir(), 'apichain-server-'));
    mkdirSync(dir, { recursive: true });
    const token = randomUUID();
    writeCredentials(dir, token, tokens);
    const uses = (placeholder: string) => command.some((argument) => argument.includes(placeholder));
    const frontProxy = join(dir, 'front-proxy');
    if (uses('{frontProxy}')) await writeFrontProxy(frontProxy);
    await prepare?.(dir);
    const etcd = uses('{etcd}') ? await startEtcd(options.etcdBinary, dir) : undefined;
    try {
      const port = String(options.port ?? (await freePort()));
      const values = { ...process.env, port, dir, frontProxy, etcd: etcd?.url };
      const server = new Server(values, token, command, etcd, options.dir === undefined ? dir : undefined);
      await server.#start();
      return server;
    } catch (error) {
      await etcd?.process.stop();
      throw error;
    }
  }

  /**
   * Ends the server with SIGTERM and starts it again on the same port and data, or starts the one of another command there. Returns what each took.
   */
  async restart(command?: readonly string[]): Promise<{ readonly stopMs: number; readonly readyMs: number }> {
    const begun = performance.now();
    await this.#process.stop();
    const stopMs = performance.now() - begun;
    if (command !== undefined) this.#process = this.#processOf(command);
    await this.#start();
    return { stopMs, readyMs: this.readyMs };
  }

  /** A text with the placeholders of commands, for example `{dir}/sa.key`. */
  fill(text: string): string {
    return text.replace(/\{(\w+)\}/g, (_all, name: string) => {
      const value = this.#values[name];
      if (value === undefined) throw new Error(`${text}: ${name} is not set`);
      return value;
    });
  }

  /** How its administrator reaches it. */
  get connection() {
    return { url: this.url, token: this.token, insecureSkipTlsVerify: true } as const;
  }

  get isRunning(): boolean {
    return this.#process.failure === undefined;
  }

  /** The ids of the server's processes, without its store. */
  get pids(): readonly number[] {
    return processTree(this.#process.pid);
  }

  /** The ids of the processes of its store, if it has a separate one. */
  get storePids(): readonly number[] {
    return this.#etcd === undefined ? [] : processTree(this.#etcd.process.pid);
  }

  /** The same as `readyMs` for the store. 0 when the server has no separate store. */
  get storeReadyMs(): number {
    return this.#etcd?.readyMs ?? 0;
  }

  /** The memory of the server's processes, in MiB. */
  memoryMiB(): number {
    return memoryMiB(this.pids);
  }

  /** The processor time that the server's processes have used since its last start, in milliseconds. */
  processorMs(): number {
    return this.pids.reduce((sum, pid) => sum + processorMs(pid), 0);
  }

  async stop(): Promise<void> {
    await this.#process.stop();
    await this.#etcd?.process.stop();
    if (this.#removes !== undefined) rmSync(this.#removes, { recursive: true, force: true, maxRetries: 5 });
  }

  #processOf(command: readonly string[]): Process {
    return new Process(
      command.map((argument) => this.fill(argument)),
      this.fill('{dir}/server.log'),
    );
  }

  async #start(): Promise<void> {
    const server = this.#process.start();
    try {
      this.readyMs = await server.until(isOk(`${this.url}/readyz`, this.token), readyTimeoutMs, pollMs);
    } catch (error) {
      await server.stop();
      throw error;
    }
  }
}
