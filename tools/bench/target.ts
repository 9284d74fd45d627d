import { readFileSync } from 'node:fs';
import { Pool } from 'undici';

/** One API server to measure: where it is, who we are there, and which processes make it up (for memory). */
export interface TargetOptions {
  readonly name: string;
  readonly url: string;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly token?: string;
  readonly pids?: readonly number[];
}

/** Parses `name=ours,url=https://127.0.0.1:6443,ca=FILE,cert=FILE,key=FILE,token=TEXT,pids=1:2:3`. Throws Error on anything else. */
export function parseTarget(text: string): TargetOptions {
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
  readonly options: TargetOptions;
  readonly #pool: Pool;
  readonly #headers: Record<string, string>;

  constructor(options: TargetOptions, connections: number) {
    this.options = options;
    this.#headers = { accept: 'application/json', 'user-agent': 'bench' };
    if (options.token !== undefined) this.#headers['authorization'] = `Bearer ${options.token}`;
    this.#pool = new Pool(options.url, {
      connections,
      pipelining: 1,
      // One request at a time on each connection is what all targets are measured with.
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

  /** Sends a request and reads the whole answer; returns its length in bytes. Throws on a status of 400 and above unless listed. */
  async call(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    options: CallOptions = {},
  ): Promise<Buffer> {
    const response = await this.#pool.request({
      method,
      path,
      headers: {
        ...this.#headers,
        ...(options.body === undefined ? {} : { 'content-type': options.contentType ?? 'application/json' }),
      },
      body: options.body ?? null,
    });
    const body = Buffer.from(await response.body.arrayBuffer());
    if (response.statusCode >= 400 && !(options.accept ?? []).includes(response.statusCode))
      throw new Error(
        `${this.options.name}: ${method} ${path}: ${response.statusCode} ${body.toString('utf8').slice(0, 300)}`,
      );
    return body;
  }

  /** Opens a watch; `onChunk` gets the bytes as they come. Resolves when the response headers are in; `done` when it has ended. */
  async watch(
    path: string,
    signal: AbortSignal,
    onChunk: (chunk: Buffer) => void,
  ): Promise<{ readonly done: Promise<void> }> {
    const response = await this.#pool.request({ method: 'GET', path, headers: this.#headers, signal });
    if (response.statusCode !== 200) throw new Error(`${this.options.name}: watch ${path}: ${response.statusCode}`);
    return { done: drain(response.body, onChunk) };
  }

  /** Resident memory of the target's processes and their children, in MiB; undefined when no pids were given. */
  memoryMiB(): number | undefined {
    const { pids } = this.options;
    return pids === undefined ? undefined : pids.reduce((sum, pid) => sum + residentMiB(pid), 0);
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}

export interface CallOptions {
  readonly body?: string | Buffer;
  readonly contentType?: string;
  /** Statuses of 400 and above that are fine here. */
  readonly accept?: readonly number[];
}

async function drain(body: AsyncIterable<Buffer>, onChunk: (chunk: Buffer) => void): Promise<void> {
  try {
    for await (const chunk of body) onChunk(chunk);
  } catch (error) {
    if ((error as Error).name !== 'AbortError') throw error;
  }
}

/** Proportional set size, so that memory shared between processes counts once. */
function residentMiB(pid: number): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const match = /^Pss:\s+(\d+) kB$/m.exec(text);
  if (match === null) throw new Error(`no Pss in /proc/${pid}/smaps_rollup`);
  return Number(match[1]) / 1024;
}
