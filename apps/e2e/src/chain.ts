import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort } from '@apichain/meta';

export const repository = resolve(import.meta.dirname, '../../..');

/** A client certificate and its key, and the CA of the server, as PEM texts: options of `node:tls`. */
export interface ClientCredentials {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

export interface Chain {
  readonly url: string;
  readonly dataDirectory: string;
  readonly kubeconfig: string;
  readonly admin: ClientCredentials;
  /** The output of `apichain up` so far. */
  output(): string;
  /** The log of a part that runs as a separate process. */
  log(part: string): string;
  /** Process ids of the parts, by name: etcd, apiextensions, kube-core, aggregator. */
  pids(): Record<string, number>;
  stop(): Promise<number | null>;
}

const startTimeoutMs = 30_000;

export interface ChainOptions {
  readonly args?: readonly string[];
  readonly dataDirectory?: string;
  /** Additional environment variables. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs `apichain up` on a free port with a new data directory. Waits until it reports that it is ready. */
export async function startChain(options: ChainOptions = {}): Promise<Chain> {
  const ownsDirectory = options.dataDirectory === undefined;
  const dataDirectory = options.dataDirectory ?? mkdtempSync(join(tmpdir(), 'apichain-e2e-'));
  const port = await freePort();
  const child = runUp([`--data-dir=${dataDirectory}`, `--secure-port=${port}`, ...(options.args ?? [])], options.env);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
  const exited = new Promise<number | null>((done) => child.once('exit', (code) => done(code)));
  try {
    await waitFor(
      () => /ready/.test(output) || child.exitCode !== null,
      startTimeoutMs,
      () => `apichain up is not ready:\n${output}`,
    );
  } catch (error) {
    child.kill('SIGTERM');
    await exited;
    throw error;
  }
  if (child.exitCode !== null) throw new Error(`apichain up ended with code ${child.exitCode}:\n${output}`);
  const kubeconfig = join(dataDirectory, 'admin.kubeconfig');
  const pki = (name: string) => readFileSync(join(dataDirectory, 'pki', name), 'utf8');
  return {
    url: `https://127.0.0.1:${port}`,
    dataDirectory,
    kubeconfig,
    admin: { ca: pki('ca.crt'), cert: pki('admin.crt'), key: pki('admin.key') },
    output: () => output,
    log: (part) => {
      const file = join(dataDirectory, 'logs', `${part}.log`);
      return existsSync(file) ? readFileSync(file, 'utf8') : '';
    },
    pids: () => JSON.parse(readFileSync(join(dataDirectory, 'pids.json'), 'utf8')) as Record<string, number>,
    async stop() {
      child.kill('SIGTERM');
      const code = await exited;
      if (ownsDirectory) rmSync(dataDirectory, { recursive: true, force: true });
      return code;
    },
  };
}

/** Runs `apichain up` with the given arguments, for tests of failures. */
export function runUp(args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess {
  return spawn(process.execPath, [join(repository, 'apps/apichain/src/main.ts'), 'up', ...args], {
    cwd: repository,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** How many times longer than on a quick machine a wait may take on the slowest one. */
const slowest = 4;

/** Waits until the condition holds, for `timeoutMs` on a quick machine. Throws Error with `what` after that. */
export async function waitFor(
  condition: () => boolean | Promise<boolean>,
  timeoutMs: number,
  what: () => string,
): Promise<void> {
  const deadline = Date.now() + slowest * timeoutMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`timed out after ${slowest * timeoutMs} ms: ${what()}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}
