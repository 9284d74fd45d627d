import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get as httpGet } from 'node:http';
import { get as httpsGet } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@apichain/meta';
import { memoryMiB, processTree, processorMs } from './processes.ts';

/**
 * A server that the benchmark starts with new data. The command line contains placeholders: `{port}` is the port to serve on. `{dir}` is a
 * new folder with `tokens.csv` (a token of system:masters), `sa.key` and `sa.pub`. `{etcd}` is the URL of an etcd; if the command uses this
 * placeholder, an etcd is started for this server alone. `{NAME}` is the environment variable NAME.
 */
export interface ServerOptions {
  readonly command: readonly string[];
  /** The path of the etcd binary. */
  readonly etcdBinary: string;
  /** More lines of tokens.csv: `TOKEN,USER,UID,"GROUPS"`. */
  readonly tokens?: readonly string[];
}

const readyTimeoutMs = 60_000;
const pollMs = 5;
const stopTimeoutMs = 15_000;

export class Server {
  readonly url: string;
  readonly token: string;
  /** Milliseconds from the start of the process to the first 200 of /readyz, with a store that is already running. */
  readonly readyMs: number;
  /** The same for the store. 0 when the server has no separate store. */
  readonly storeReadyMs: number;
  readonly #values: Placeholders;
  readonly #dir: string;
  #command: readonly string[];
  #server: ChildProcess;
  readonly #etcd: ChildProcess | undefined;

  private constructor(fields: {
    url: string;
    token: string;
    readyMs: number;
    storeReadyMs: number;
    values: Placeholders;
    dir: string;
    command: readonly string[];
    server: ChildProcess;
    etcd: ChildProcess | undefined;
  }) {
    this.url = fields.url;
    this.token = fields.token;
    this.readyMs = fields.readyMs;
    this.storeReadyMs = fields.storeReadyMs;
    this.#values = fields.values;
    this.#dir = fields.dir;
    this.#command = fields.command;
    this.#server = fields.server;
    this.#etcd = fields.etcd;
  }

  /** Throws Error when the server or its etcd is not ready in time. Nothing keeps running in that case. */
  static async start(options: ServerOptions): Promise<Server> {
    const dir = mkdtempSync(join(tmpdir(), 'apichain-bench-'));
    const token = randomUUID();
    writeCredentials(dir, token, options.tokens ?? []);
    const etcd = options.command.some((argument) => argument.includes('{etcd}'))
      ? await startEtcd(options.etcdBinary, dir)
      : undefined;
    const port = await freePort();
    const url = `https://127.0.0.1:${port}`;
    const values: Placeholders = { ...process.env, port: String(port), dir, etcd: etcd?.url };
    try {
      const command = options.command.map((argument) => fill(argument, values));
      const { child, readyMs } = await startProcess(command, join(dir, 'server.log'), `${url}/readyz`, token);
      return new Server({
        url,
        token,
        readyMs,
        storeReadyMs: etcd?.readyMs ?? 0,
        values,
        dir,
        command,
        server: child,
        etcd: etcd?.child,
      });
    } catch (error) {
      if (etcd !== undefined) await stop(etcd.child);
      throw error;
    }
  }

  /**
   * Ends the server with SIGTERM and starts it again on the same port and data, or starts the one of another command there. Returns what each took.
   */
  async restart(command?: readonly string[]): Promise<{ readonly stopMs: number; readonly readyMs: number }> {
    if (command !== undefined) this.#command = command.map((argument) => this.fill(argument));
    const begun = performance.now();
    await stop(this.#server);
    const stopMs = performance.now() - begun;
    const { child, readyMs } = await startProcess(
      this.#command,
      join(this.#dir, 'server.log'),
      `${this.url}/readyz`,
      this.token,
    );
    this.#server = child;
    return { stopMs, readyMs };
  }

  /** A text with the placeholders of commands, for example `{dir}/sa.key`. */
  fill(text: string): string {
    return fill(text, this.#values);
  }

  /** The ids of the server's processes, without its store. */
  get pids(): readonly number[] {
    return processTree(this.#server.pid);
  }

  /** The ids of the processes of its store, if it has a separate one. */
  get storePids(): readonly number[] {
    return this.#etcd === undefined ? [] : processTree(this.#etcd.pid);
  }

  /** The memory of the server's processes, in MiB. */
  memoryMiB(): number {
    return memoryMiB(this.pids);
  }

  /** The processor time that the server's processes have used since its last start, in milliseconds. */
  processorMs(): number {
    return this.pids.reduce((sum, pid) => sum + processorMs(pid), 0);
  }

  storeMemoryMiB(): number {
    return memoryMiB(this.storePids);
  }

  async stop(): Promise<void> {
    await stop(this.#server);
    if (this.#etcd !== undefined) await stop(this.#etcd);
    rmSync(this.#dir, { recursive: true, force: true });
  }
}

function writeCredentials(dir: string, token: string, more: readonly string[]): void {
  const lines = [`${token},bench,bench,"system:masters"`, ...more];
  writeFileSync(join(dir, 'tokens.csv'), `${lines.join('\n')}\n`, { mode: 0o600 });
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  writeFileSync(join(dir, 'sa.key'), privateKey.export({ type: 'pkcs1', format: 'pem' }), { mode: 0o600 });
  writeFileSync(join(dir, 'sa.pub'), publicKey.export({ type: 'spki', format: 'pem' }));
}

type Placeholders = Readonly<Record<string, string | undefined>>;

function fill(argument: string, values: Placeholders): string {
  return argument.replace(/\{(\w+)\}/g, (_all, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`${argument}: ${name} is not set`);
    return value;
  });
}

async function startEtcd(binary: string, dir: string): Promise<{ url: string; child: ChildProcess; readyMs: number }> {
  const url = `http://127.0.0.1:${await freePort()}`;
  const peer = `http://127.0.0.1:${await freePort()}`;
  const args = [
    `--data-dir=${join(dir, 'etcd')}`,
    `--listen-client-urls=${url}`,
    `--advertise-client-urls=${url}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
  ];
  return { url, ...(await startProcess([binary, ...args], join(dir, 'etcd.log'), `${url}/health`, '')) };
}

async function startProcess(
  [program = '', ...args]: readonly string[],
  logFile: string,
  health: string,
  token: string,
): Promise<{ child: ChildProcess; readyMs: number }> {
  const log = openSync(logFile, 'a');
  const started = performance.now();
  const child = spawn(program, args, { stdio: ['ignore', log, log] });
  closeSync(log);
  let failure: string | undefined;
  child.once('error', (error) => (failure = error.message));
  child.once('exit', (code, signal) => (failure ??= `ended with ${signal ?? code}`));
  while (performance.now() - started < readyTimeoutMs && failure === undefined) {
    if (await isReady(health, token)) return { child, readyMs: performance.now() - started };
    await sleep(pollMs);
  }
  await stop(child);
  const last = readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-3).join('\n');
  throw new Error(`${program}: ${failure ?? `not ready after ${readyTimeoutMs / 1000} s`}\n${last}`);
}

function isReady(url: string, token: string): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { agent: false, rejectUnauthorized: false, headers: { authorization: `Bearer ${token}` } } as const;
    const request = (url.startsWith('https:') ? httpsGet : httpGet)(url, options, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('error', () => resolve(false));
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
  await ended;
  clearTimeout(timer);
}
