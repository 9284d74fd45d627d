import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, hasErrorCode } from '@apichain/meta';
import { Target, type TargetOptions } from '../target.ts';

export interface ChainOptions {
  /** Whether the chain runs as three services and a store, instead of one process. */
  readonly services: boolean;
  /** Whether objects are also stored and read as CBOR. */
  readonly cbor?: boolean;
  /** The port to serve on. Default: any free port. */
  readonly port?: number;
}

const repository = resolve(import.meta.dirname, '../../..');
const startTimeoutMs = 60_000;
const stopTimeoutMs = 10_000;

/** The users that send requests. The token of each user is its name. */
const users = [
  'admin,admin,admin,"system:masters"',
  'attacker,attacker,attacker',
  'tenant,tenant,tenant',
  'neighbour,neighbour,neighbour',
] as const;
export type User = 'admin' | 'attacker' | 'tenant' | 'neighbour';

/** A separate chain with new data, which is deleted afterwards. */
export class Chain {
  readonly url: string;
  readonly #directory: string;
  readonly #child: ChildProcess;

  private constructor(url: string, directory: string, child: ChildProcess) {
    this.url = url;
    this.#directory = directory;
    this.#child = child;
  }

  /** Starts a chain. Throws Error when it does not become ready. */
  static async start({ services, cbor = false, port }: ChainOptions): Promise<Chain> {
    const directory = mkdtempSync(join(tmpdir(), 'apichain-stalls-'));
    const tokens = join(directory, 'tokens.csv');
    writeFileSync(tokens, `${users.join('\n')}\n`, { mode: 0o600 });
    const securePort = port ?? (await freePort());
    const args = [
      'up',
      `--data-dir=${join(directory, 'apichain')}`,
      `--secure-port=${securePort}`,
      ...(services ? [] : ['--in-process', '--memory']),
      ...(cbor ? ['--feature-gates=CBORServingAndStorage=true'] : []),
      `--token-auth-file=${tokens}`,
      '--authorization-mode=RBAC',
      '--controllers=-*',
      '--disable-admission-plugins=ServiceAccount',
    ];
    const child = spawn(process.execPath, [join(repository, 'apps/apichain/src/main.ts'), ...args], {
      cwd: repository,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    // The chain must not keep running when the search exits.
    const ended = () => child.kill('SIGKILL');
    process.once('exit', ended);
    child.once('exit', () => process.off('exit', ended));
    const chain = new Chain(`https://127.0.0.1:${securePort}`, directory, child);
    await chain.#ready();
    return chain;
  }

  target(user: User, timeoutMs: number): TargetOptions {
    return { url: this.url, token: user, insecure: true, timeout: timeoutMs, connections: 1 };
  }

  /** The process ids of the services, including the store. */
  get pids(): readonly number[] {
    const parts = JSON.parse(readFileSync(join(this.#directory, 'apichain/pids.json'), 'utf8')) as Record<
      string,
      number
    >;
    return Object.values(parts);
  }

  /** A certificate for a server behind the chain. */
  get certificate(): { readonly cert: string; readonly key: string } {
    const pki = (name: string) => readFileSync(join(this.#directory, 'apichain/pki', name), 'utf8');
    return { cert: pki('admin.crt'), key: pki('admin.key') };
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  async stop(): Promise<void> {
    if (this.running) {
      const ended = once(this.#child, 'exit');
      this.#child.kill('SIGTERM');
      const timer = setTimeout(() => this.kill(), stopTimeoutMs);
      await ended;
      clearTimeout(timer);
    }
    rmSync(this.#directory, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Kills all processes. */
  kill(): void {
    for (const pid of new Set([...this.pids, this.#child.pid])) {
      try {
        if (pid !== undefined) process.kill(pid, 'SIGKILL');
      } catch (error) {
        // The process has ended meanwhile.
        if (!hasErrorCode(error, 'ESRCH')) throw error;
      }
    }
  }

  async #ready(): Promise<void> {
    let output = '';
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', (chunk: Buffer) => (output = (output + chunk.toString('utf8')).slice(-20_000)));
    const target = new Target(this.target('admin', 2_000));
    const end = Date.now() + startTimeoutMs;
    for (;;) {
      const outcome = await target.send({ method: 'GET', path: '/readyz', query: [], headers: {} });
      if (outcome.kind === 'answered' && outcome.status === 200) break;
      if (this.running && Date.now() < end) {
        await sleep(50);
        continue;
      }
      target.close();
      await this.stop();
      throw new Error(`the chain is not ready:\n${output}`);
    }
    target.close();
  }
}
